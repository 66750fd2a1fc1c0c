/* The arithmetic of Torre: every operation on a field value, once, for C and for CUDA.
 *
 * Each function works on one point. The loop over z (CPU) or the thread (GPU) belongs to the engine. Multiply-adds are
 * written out and contraction is off in both compilers, so all engines agree to the last bit.
 *
 * Fields are integrals along their edges (e = E_i d_i, h = eta0 H_i d_i, as in the finite integration technique), so
 * that a curl is a bare sum of differences for any cell shape and all metric factors sit in one coefficient: e' = e +
 * cb (D1 - D2),   cb = c dt d_i / (eps d_j d_k)          (order 4: times 9/8) Order 4 is D = (a - b) - (c - d)/27 with
 * a, b half a cell and c, d one and a half cells away; 9/8 is in cb. */
#ifndef TOR_DIAMOND_CORE_UPDATE_H
#define TOR_DIAMOND_CORE_UPDATE_H

#ifndef TOR_REAL_BITS
#error "TOR_REAL_BITS (32 or 64) selects the precision of this translation unit"
#endif

#ifdef __CUDACC__
#define TOR_POINT __host__ __device__ static __forceinline__
#else
#define TOR_POINT static inline __attribute__((always_inline))
#endif

#if TOR_REAL_BITS == 32
typedef float tor_real;
#define TOR_NAME(name) name##_f32
#ifdef __CUDA_ARCH__
#define TOR_FMA(a, b, c) __fmaf_rn((a), (b), (c))
#else
#define TOR_FMA(a, b, c) __builtin_fmaf((a), (b), (c))
#endif
#else
typedef double tor_real;
#define TOR_NAME(name) name##_f64
#ifdef __CUDA_ARCH__
#define TOR_FMA(a, b, c) __fma_rn((a), (b), (c))
#else
#define TOR_FMA(a, b, c) __builtin_fma((a), (b), (c))
#endif
#endif

/* The type that the functions work on: one point, or TOR_VECTOR_BYTES of neighbours along z where a file defines that
 * before. */
#ifdef TOR_VECTOR_BYTES
typedef tor_real tor_value __attribute__((vector_size(TOR_VECTOR_BYTES)));
TOR_POINT tor_value tor_fma_lanes(tor_value a, tor_value b, tor_value c) {
#ifdef TOR_VECTOR_FMA
  return TOR_VECTOR_FMA(a, b, c);
#else
  tor_value r = c;
  for (int i = 0; i < TOR_VECTOR_BYTES / (int)sizeof(tor_real); i++) r[i] = TOR_FMA(a[i], b[i], c[i]);
  return r;
#endif
}
#undef TOR_FMA
#define TOR_FMA(a, b, c) tor_fma_lanes((a), (b), (c))
#define TOR_VALUE(x) ((tor_real)(x) - (tor_value){0}) /* in all lanes; keeps the sign of -0 */
#else
typedef tor_real tor_value;
#define TOR_VALUE(x) ((tor_real)(x))
#endif

/* Central difference of order 2 or 4; see the head. */
TOR_POINT tor_value tor_difference(int order, tor_value a, tor_value b, tor_value c, tor_value d) {
  if (order == 2) return a - b;
  return TOR_FMA(TOR_VALUE(-1.0 / 27.0), c - d, a - b);
}

/* CPML (Roden and Gedney 2000, eq. 17 to 19): psi' = b psi + c D;  the stretched difference is D / kappa + psi'. */
TOR_POINT tor_value tor_cpml_memory(tor_value b, tor_value c, tor_value psi, tor_value diff) {
  return TOR_FMA(b, psi, c * diff);
}
TOR_POINT tor_value tor_cpml_stretch(tor_value inv_kappa, tor_value diff, tor_value psi) {
  return TOR_FMA(inv_kappa, diff, psi);
}

/* One step of a component without loss, and with: ca1 is the usual coefficient less one. */
TOR_POINT tor_value tor_advance(tor_value f, tor_value cb, tor_value curl) { return TOR_FMA(cb, curl, f); }
TOR_POINT tor_value tor_advance_lossy(tor_value f, tor_value ca1, tor_value cb, tor_value curl) {
  return TOR_FMA(cb, curl, TOR_FMA(ca1, f, f));
}

/* Absorbers multiply coefficients by a factor p = (p_x p_y) p_z of the point, 1 / (1 + s) for half a step's damping s
 * of each axis: cb' = (cb p_z) (p_x p_y), and ca1' = (2 + ca1) p - 2. So a loss adds up as 1 + s = (1 + s_x) (1 + s_y)
 * (1 + s_z) (1 + s_medium). Where a medium has no loss, ca1' is: */
TOR_POINT tor_value tor_damping_loss(tor_value p) { return TOR_FMA(TOR_VALUE(2), p, TOR_VALUE(-2)); }

/* A current's or an incident field's contribution to the curl, added to an advanced value. */
TOR_POINT tor_value tor_inject(tor_value f, tor_value cb, tor_value curl) { return TOR_FMA(cb, curl, f); }

/* A sheet's value is a sum over terms, from 0 on: a profile's value at the point times a signal's at the step. */
TOR_POINT tor_value tor_sheet_term(tor_value sum, tor_value profile, tor_value signal) {
  return TOR_FMA(profile, signal, sum);
}

/* Bloch walls: a part (real or imaginary) of a value a period away is c times that part here and s times the other one
 * (tor_slab.bloch). */
TOR_POINT tor_value tor_bloch(tor_value c, tor_value own, tor_value s, tor_value other) {
  return TOR_FMA(c, own, s * other);
}

/* One pole of share w: J' = k1 J + k2 P + w (k3 e + k4 e'),  P' = P + dt J'.  All but k4 is explicit; the poles'
 * currents are summed, from 0 on, and their sum leaves the curl before the step. So it depends on the field before the
 * step alone and can be computed before the curl. k4 (Debye) is added once e' is known. Drude poles have no P. */
TOR_POINT tor_value tor_pole_current(tor_value k1, tor_value k2, tor_value j, tor_value p) {
  return TOR_FMA(k1, j, k2 * p);
}
TOR_POINT tor_value tor_pole_drive(tor_value current, tor_value w, tor_value k, tor_value e) {
  return TOR_FMA(w, k * e, current);
}
TOR_POINT tor_value tor_pole_polarisation(tor_value dt, tor_value j, tor_value p) { return TOR_FMA(dt, j, p); }

/* Interface of a dispersive medium, as capacitors in series (docs/design/numerics.md): a branch has a field of its own,
 * which drives its poles, e_b = a e - q with a = cb_b / cb and the charge q' = q + g J_b, g = cb_b (1 - r) of its
 * currents' sum J_b, of which the share r = s_b cb_b / cb leaves the curl of the whole. With a = r = 1, g = q = 0 these
 * are the bits of a point without a branch. */
TOR_POINT tor_value tor_branch_field(tor_value a, tor_value e, tor_value q) { return TOR_FMA(a, e, -q); }
TOR_POINT tor_value tor_branch_charge(tor_value q, tor_value g, tor_value sum) { return TOR_FMA(g, sum, q); }
TOR_POINT tor_value tor_branch_current(tor_value r, tor_value sum) { return r * sum; }

/* Surface nodes of dielectrics (docs/design/numerics.md): edges have the permittivity of media in series; nodes (whole
 * i, j, k) in cut cells have a polarisation P along the surface, driven by the mean field v of the two edges of each
 * axis:   s = n . v,   J' = J + out g (v - n s) - restore P,   P' = P + dt J'   (tor_pole_polarisation). J is made in
 * H's half-step from E half a cell away, and is injected with -1 at the six edges in E's. */
TOR_POINT tor_value tor_node_mean(tor_value in, tor_value a, tor_value b) { return in * (a + b); }
TOR_POINT tor_value tor_node_difference(tor_value in, tor_value a, tor_value b) { return in * (b - a); }
TOR_POINT tor_value tor_node_across(tor_value nx, tor_value ny, tor_value nz, tor_value x, tor_value y, tor_value z) {
  return TOR_FMA(nx, x, TOR_FMA(ny, y, nz * z));
}
TOR_POINT tor_value tor_node_current(tor_value j, tor_value p, tor_value drive, tor_value restore, tor_value n,
                                     tor_value s, tor_value v) {
  return TOR_FMA(drive, TOR_FMA(-n, s, v), TOR_FMA(-restore, p, j));
}

/* Nodes of media with a full permittivity tensor: P along each axis is driven by the field d . v, d the tensor's row,
 * as tor_metal_oscillator is. */
TOR_POINT tor_value tor_tensor_field(tor_value dx, tor_value dy, tor_value dz, tor_value x, tor_value y, tor_value z) {
  return TOR_FMA(dx, x, TOR_FMA(dy, y, dz * z));
}

/* Kerr media: beside d . v, kerr |v|^2 v along each axis, whose strength is kerr |v|^2. */
TOR_POINT tor_value tor_kerr_strength(tor_value kerr, tor_value x, tor_value y, tor_value z) {
  return kerr * TOR_FMA(x, x, TOR_FMA(y, y, z * z));
}
TOR_POINT tor_value tor_kerr_field(tor_value field, tor_value strength, tor_value v) {
  return TOR_FMA(strength, v, field);
}

/* Media of second order: beside d . v, share times a row of the contracted tensor chi2 (six) times the products of the
 * mean field, x x, y y, z z, 2 y z, 2 z x, 2 x y, along each axis. */
TOR_POINT void tor_chi2_products(tor_value x, tor_value y, tor_value z, tor_value product[6]) {
  product[0] = x * x;
  product[1] = y * y;
  product[2] = z * z;
  product[3] = (y + y) * z;
  product[4] = (z + z) * x;
  product[5] = (x + x) * y;
}
TOR_POINT tor_value tor_chi2_field(tor_value field, tor_value share, const tor_value row[6],
                                   const tor_value product[6]) {
  tor_value sum = row[5] * product[5];
  for (int i = 4; i >= 0; i--) sum = TOR_FMA(row[i], product[i], sum);
  return TOR_FMA(share, sum, field);
}

/* Saturable poles: the current's drive is (1 + m) of that of the pole at rest, m the change of its population. With the
 * currents before and after the step, were m 0, and the part of these in proportion to 1 + m, the mean of m before and
 * after the step is that at which the work done on the medium is what it takes from the population: a linear equation,
 * as both are in it. work: of each axis; inverse: 1 over the medium's share; rest: 1 + dt / (2 T1). */
TOR_POINT tor_value tor_gain_work(tor_value wx, tor_value wy, tor_value wz, tor_value jx, tor_value jy, tor_value jz) {
  return TOR_FMA(wx, jx, TOR_FMA(wy, jy, wz * jz));
}
TOR_POINT tor_value tor_gain_mean(tor_value m, tor_value inverse, tor_value rest, tor_value at_rest, tor_value driven) {
  return TOR_FMA(-inverse, at_rest, m) / TOR_FMA(inverse, driven, rest);
}
TOR_POINT tor_value tor_gain_current(tor_value current, tor_value mean, tor_value driven) {
  return TOR_FMA(mean, driven, current);
}
TOR_POINT tor_value tor_gain_after(tor_value m, tor_value mean) { return TOR_FMA(TOR_VALUE(2), mean, -m); }

/* Magnetised poles: what drives J along an axis, and one axis of J' = keep J + turn x, with a row of each matrix
 * (tor_tensor_field has turn x). */
TOR_POINT tor_value tor_magnetised_drive(tor_value drive, tor_value field, tor_value restore, tor_value p) {
  return TOR_FMA(drive, field, -restore * p);
}
TOR_POINT tor_value tor_magnetised_current(tor_value kx, tor_value ky, tor_value kz, tor_value jx, tor_value jy,
                                           tor_value jz, tor_value turned) {
  return TOR_FMA(kx, jx, TOR_FMA(ky, jy, TOR_FMA(kz, jz, turned)));
}

/* Nodes of metals (docs/design/metal-nodes.md): P is the metal's, in its part of the volume, driven by the field f in
 * it, which the charges on the surface reduce across it:   f = v - n t,  t = along (n . v) + n . c,  c = across P -
 * lean Q   (along: 1 for dielectrics, whose P is along the surface). Q is of half the difference u of the two edges of
 * each axis, for what is across the surface, driven by   g = h u + n lean (n . P) - stiff Q,  h = (1 - along) n.   The
 * permittivity at infinite frequency that the edges lack is an oscillator, beside the metal's poles. The sums of all
 * these currents, J of P and I of Q, make P and Q; the edge above receives share (J + n I), the one below share (J - n
 * I). */
TOR_POINT tor_value tor_metal_charge(tor_value across, tor_value p, tor_value lean, tor_value q) {
  return TOR_FMA(across, p, -(lean * q));
}
TOR_POINT tor_value tor_metal_across(tor_value along, tor_value v, tor_value c) { return TOR_FMA(along, v, c); }
TOR_POINT tor_value tor_metal_field(tor_value n, tor_value t, tor_value v) { return TOR_FMA(-n, t, v); }
TOR_POINT tor_value tor_metal_slope(tor_value along, tor_value n, tor_value u, tor_value lean, tor_value p,
                                    tor_value stiff, tor_value q) {
  return TOR_FMA(TOR_FMA(-along, n, n), u, TOR_FMA(n * lean, p, -(stiff * q)));
}
TOR_POINT tor_value tor_metal_above(tor_value share, tor_value n, tor_value j, tor_value i) {
  return share * TOR_FMA(n, i, j);
}
TOR_POINT tor_value tor_metal_below(tor_value share, tor_value n, tor_value j, tor_value i) {
  return share * TOR_FMA(-n, i, j);
}
TOR_POINT tor_value tor_metal_oscillator(tor_value j, tor_value p, tor_value drive, tor_value restore, tor_value f) {
  return TOR_FMA(drive, f, TOR_FMA(-restore, p, j));
}

#endif
