#!/usr/bin/env bash
# What part a Gaussian beam has in a flux monitor's plane: the source's own beam, others, and beams that come the
# other way. The overlap of two beams through one focus: sum over directions alpha of a(alpha) b(alpha), where a has
# exp(-(k w sin(alpha - tilt))^2 / 4) cos(alpha - tilt), E in the plane none of the cosine; a shift d along the plane
# adds exp(-i k d sin(alpha)).
source "$TORRE_SOURCE/tests/system/lib.sh"

# wanted W1 W2 TILT_DEG SHIFT COS: the part of power, lengths in wavelengths. COS: 1, or 0 for E in the plane, whose
# part across the beam is Gaussian.
wanted() {
  awk -v w="$1" -v v="$2" -v tilt="$3" -v d="$4" -v cosine="$5" 'BEGIN {
    pi = 3.141592653589793; k = 2 * pi; tilt *= pi / 180
    for (x = -1.4; x <= 1.4; x += 0.0005) {
      s = sin(x); t = sin(x - tilt)
      a = exp(-(k * w * s) ^ 2 / 4) * cos(x) ^ cosine; b = exp(-(k * v * t) ^ 2 / 4) * cos(x - tilt) ^ cosine
      aa += a * a; bb += b * b; re += a * b * cos(k * d * s); im += a * b * sin(k * d * s)
    }
    printf "%.6f", (re * re + im * im) / (aa * bb) }'
}

cat >line.cfg <<'END2'
format_version = 3;
length_unit = "um";
grid = { polarisation = "TM"; size = [5.0, 16.0]; cell = 0.04; };
sources = ( { type = "gaussian_beam"; box = { lo = [-0.8, -8.0]; hi = [-0.8, 8.0]; }; phi_deg = 0.0;
              focus = [0.0, 0.0]; waist = 2.0; time = { type = "pulse"; wavelength = 1.0; band = 0.1; }; } );
monitors = (
  { type = "flux"; name = "own"; box = { lo = [0.8, -7.0]; hi = [0.8, 7.0]; }; wavelengths = [1.0];
    beam = { phi_deg = 0.0; focus = [0.0, 0.0]; waist = 2.0; }; },
  { type = "flux"; name = "later"; box = { lo = [1.2, -7.0]; hi = [1.2, 7.0]; }; wavelengths = [1.0];
    beam = { phi_deg = 0.0; focus = [0.0, 0.0]; waist = 2.0; }; },
  { type = "flux"; name = "shifted"; box = { lo = [0.8, -7.0]; hi = [0.8, 7.0]; }; wavelengths = [1.0];
    beam = { direction = "+x"; focus = [0.0, 1.2]; waist = 2.0; }; },
  { type = "flux"; name = "tilted"; box = { lo = [0.8, -7.0]; hi = [0.8, 7.0]; }; wavelengths = [1.0];
    beam = { phi_deg = 4.0; focus = [0.0, 0.0]; waist = 2.0; }; },
  { type = "flux"; name = "both"; box = { lo = [0.8, -7.0]; hi = [0.8, 7.0]; }; wavelengths = [1.0];
    beam = { phi_deg = -3.0; focus = [0.0, -0.7]; waist = 1.5; }; },
  { type = "flux"; name = "back"; box = { lo = [0.8, -7.0]; hi = [0.8, 7.0]; }; wavelengths = [1.0];
    beam = { phi_deg = 180.0; focus = [0.0, 0.0]; waist = 2.0; }; } );
run = { time_fs = 300.0; until = 0.001; };
END2
# part FOLDER NAME: beam_fraction at 1 um.
part() { cell "$1/spectra.csv" "$2.beam_fraction" 1000; }
for kind in TM TE; do
  cosine=$([[ $kind == TM ]] && echo 1 || echo 0)
  "$TORRE" run line.cfg -q --out $kind --set "grid.polarisation=\"$kind\""
  check "$kind: beams in a line run" $?
  near "$kind: its own beam" "$(part $kind own)" 1 1e-3
  near "$kind: 0.4 wavelengths further on, the phase" "$(awk -v a="$(cell $kind/spectra.csv own.beam_phase_rad 1000)" \
    -v b="$(cell $kind/spectra.csv later.beam_phase_rad 1000)" \
    'BEGIN { d = b - a; while (d < 0) d += 6.283185307; print d }')" 2.51327 0.01
  near "$kind: shifted by 1.2 of 2 um" "$(part $kind shifted)" "$(wanted 2 2 0 1.2 "$cosine")" 1e-3
  near "$kind: tilted by 4 degrees" "$(part $kind tilted)" "$(wanted 2 2 4 0 "$cosine")" 1e-3
  near "$kind: narrower, tilted and shifted" "$(part $kind both)" "$(wanted 2 1.5 -3 -0.7 "$cosine")" 1e-3
  near "$kind: against it" "$(part $kind back)" 0 1e-6
done

# In 3-D: a beam along z with two waists, and its part in one that is turned by 90 degrees: 2 w v / (w^2 + v^2) each.
cat >plane.cfg <<'END2'
format_version = 3;
length_unit = "um";
grid = { size = [8.0, 8.0, 3.0]; cell = 0.1; };
sources = ( { type = "gaussian_beam"; box = { lo = [-4.0, -4.0, 0.3]; hi = [4.0, 4.0, 0.3]; }; direction = "-z";
              polarisation = "x"; waist = 1.6; waist_across = 1.2;
              time = { type = "pulse"; wavelength = 1.0; band = 0.1; }; } );
monitors = (
  { type = "flux"; name = "own"; box = { lo = [-3.0, -3.0, -0.3]; hi = [3.0, 3.0, -0.3]; }; wavelengths = [1.0];
    beam = { direction = "-z"; polarisation = "x"; focus = [0.0, 0.0, 0.3]; waist = 1.6; waist_across = 1.2; }; },
  { type = "flux"; name = "turned"; box = { lo = [-3.0, -3.0, -0.3]; hi = [3.0, 3.0, -0.3]; }; wavelengths = [1.0];
    beam = { direction = "-z"; polarisation = "x"; focus = [0.0, 0.0, 0.3]; waist = 1.2; waist_across = 1.6; }; },
  { type = "flux"; name = "crossed"; box = { lo = [-3.0, -3.0, -0.3]; hi = [3.0, 3.0, -0.3]; }; wavelengths = [1.0];
    beam = { direction = "-z"; polarisation = "y"; focus = [0.0, 0.0, 0.3]; waist = 1.2; waist_across = 1.6; }; } );
run = { time_fs = 400.0; until = 0.001; };
END2
"$TORRE" run plane.cfg -q --out plane
check "3-D: beams in a plane run" $?
near "3-D: its own beam" "$(part plane own)" 1 1e-3
near "3-D: one with its waists exchanged" "$(part plane turned)" 0.9216 3e-3
near "3-D: one of the other polarisation" "$(part plane crossed)" 0 1e-4

ends "a beam along the plane is refused" 2 'a plane that the beam crosses' line.cfg --set 'monitors.[0].beam.phi_deg=90'
ends "a beam without a waist" 2 'monitors.0..beam.waist: missing' plane.cfg \
  --set 'monitors.[0].beam={direction="-z";polarisation="x";}'
ends "a plane through several media" 2 'the plane crosses several media' line.cfg \
  --set 'media=({name="glass";index=1.5;})' --set 'objects=({type="layer";axis="y";medium="glass";lo=0.0;})' \
  --set 'sources=()'
finish
