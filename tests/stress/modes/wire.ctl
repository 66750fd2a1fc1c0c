; Modes of a silicon wire, w x 0.22 um (n 3.4757), in silica (1.444) at a wavelength of 1.55 um, by MPB 1.11.1 (Debian):
; an independent check of torre modes. MPB is GPL and is run by hand alone:
;
;   mpb resolution=200 wire.ctl | grep kvals        600 nm: TE0, TM0, TE1
;   mpb w=0.45 bands=2 resolution=80 wire.ctl       450 nm: TE0, TM0
;
; k / (2 pi) in 1/um; times 1.55 it is n_eff:
;
;   w     resolution   TE0       TM0       TE1
;   0.6    50          1.656398  1.181544  1.089075
;   0.6   100          1.654974  1.179372  1.089036
;   0.6   150          1.655971  1.180489  1.089736
;   0.6   200          1.655679  1.180100  1.089642   n_eff 2.56630, 1.82916, 1.68895
;   0.45   40          1.514391  1.116867
;   0.45   80          1.516376  1.117305             n_eff 2.35038, 1.73182
;
; From 150 to 200 the indices change by 6e-4 at most. torre modes, faces on nodes, cells of 25, 12.5, 6.25 nm along the
; width (tests/stress/modes/table.py): TE1 1.69551, 1.69100, 1.68974, extrapolated 1.6893.
(define-param w 0.6)
(define-param bands 3)
(set! geometry-lattice (make lattice (size no-size 4 3)))
(set! default-material (make dielectric (index 1.444)))
(set! geometry (list (make block (center 0 0 0) (size infinity w 0.22) (material (make dielectric (index 3.4757))))))
(set-param! resolution 40)
(set! mesh-size 7)
(find-k NO-PARITY (/ 1 1.55) 1 bands (vector3 1 0 0) 1e-6 1.1 0.93 2.2)
