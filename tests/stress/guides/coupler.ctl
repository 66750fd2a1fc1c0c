; Supermodes of two parallel guides at a wavelength of 1.55 um by MPB 1.11.1 (Debian): the reference of coupler.py. MPB
; is GPL and is run by hand alone:
;
;   mpb resolution=160 coupler.ctl | grep kvals               silicon wires, 0.45 x 0.22 um, 0.2 um apart, in silica
;   mpb slabs=true resolution=1600 coupler.ctl | grep kvals   slabs of 0.5 um, index 2.848, 0.2 um apart; E across them
;
; k / (2 pi) in 1/um; the coupling length is 1 / (2 (even - odd)):
;
;   structure   resolution   even        odd         coupling length, um
;   wires        40          1.5256312   1.5054020   24.717
;   wires        80          1.5278316   1.5072005   24.235
;   wires       120          1.5286848   1.5080383   24.217
;   wires       160          1.5292217   1.5085819   24.225
;   slabs       100          1.6184424   1.5986583   25.273
;   slabs       400          1.6186826   1.5988559   25.218
;   slabs      1600          1.6186976   1.5988680   25.215
(define-param slabs false)
(define width (if slabs 0.5 0.45))
(define height (if slabs infinity 0.22))
(define-param gap 0.2)
(set! geometry-lattice (make lattice (size no-size (if slabs 8 4) (if slabs no-size 3))))
(set! default-material (make dielectric (index 1.444)))
(define core (make dielectric (index (if slabs 2.848 3.4757))))
(set! geometry (map (lambda (side) (make block (center 0 (* side (/ (+ gap width) 2)) 0)
                                    (size infinity width height) (material core))) '(-1 1)))
(set-param! resolution 40)
(set! mesh-size 7)
(define from (if slabs 1.6 1.52))
(if slabs (find-k TE (/ 1 1.55) 1 2 (vector3 1 0 0) 1e-9 from 0.95 2))
(if (not slabs) (find-k (+ ODD-Y EVEN-Z) (/ 1 1.55) 1 1 (vector3 1 0 0) 1e-7 from 0.95 2.2))
(if (not slabs) (find-k (+ EVEN-Y EVEN-Z) (/ 1 1.55) 1 1 (vector3 1 0 0) 1e-7 from 0.95 2.2))
