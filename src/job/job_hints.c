/* What there is in place of keys and values that other programs have; the page is docs/user/job-file.md, "What there is
 * not (yet)". */
#include <string.h>
#include <strings.h>

#include "io/config/config.h"
#include "src/job/job_keys.h"

#define PAGE " (docs/user/job-file.md, \"What there is not (yet)\")"

static const struct {
  const char *words; /* separated by blanks, any case */
  const char *where; /* keys of which it is a value, as the beginning of a path; NULL: an unknown key too */
  const char *text;
} hints[] = {
    {"floquet quasi-periodic quasi_periodic", "boundaries.",
     "; periodic walls with a phase are \"bloch\" (docs/user/job-file.md, \"boundaries\")"},
    {"symmetric anti-symmetric anti_symmetric antisymmetric even odd mirror", "boundaries.",
     "; a mirror is \"pec\" across E and \"pmc\" across H (docs/user/job-file.md, \"boundaries\")"},
    {"periodic periodicity", NULL, "; periodic walls are \"periodic\" at both ends of an axis in boundaries"},
    {"bloch bloch_vec k_point k_points kpoint k_vector floquet", NULL,
     "; walls of type \"bloch\" have the wave vector boundaries.k; a path of them: the group bands, for torre bands"},
    {"run_kpoints kpoint_path band_structure bandstructure", NULL, "; bands: the group \"bands\", for torre bands"},
    {"theta phi angle angles angle_theta angle_phi incidence incidence_angle oblique tilt", NULL,
     "; the angles of a plane wave are theta_deg, phi_deg and psi_deg (docs/user/job-file.md, \"sources\")"},
    {"mode_monitor port ports mode_overlap", NULL,
     "; what modes carry through a plane: monitors of type \"mode\"" PAGE},
    {"mode_source mode_number waveguide", NULL, "; a guide's mode is a source of type \"mode\"" PAGE},
    {"mode modes eigenmode eigenmodes mode_index neff num_modes mode_solver mode_spec", NULL,
     "; modes of a guide: the group \"modes\", for torre modes" PAGE},
    {"gaussian_beam gaussianbeam beam waist_radius beam_waist beam_w0 numerical_aperture waist_sizes waist_distances",
     NULL, "; beams are sources of type \"gaussian_beam\" (docs/user/job-file.md, \"sources\")"},
    {"custom custom_field custom_field_source custom_source customfieldsource imported field_source", NULL,
     "; fields of a file are sources of type \"fields\" (docs/user/job-file.md, \"sources\")"},
    {"gaussian", "sources[].type", "; a beam is \"gaussian_beam\""},
    {"gaussian", "sources[].time.type", "; a Gaussian pulse is \"pulse\""},
    {"tfsf total_field total_field_scattered_field planewave", "sources[].type",
     "; a plane wave in a total-field box is \"plane_wave\""},
    {"far_field farfield near2far n2f ntff near_to_far far_field_projection", NULL,
     "; far fields: the monitor \"far_field\" (docs/user/job-file.md, \"monitors\")"},
    {"symmetry symmetries mirror mirrors", NULL,
     "; symmetries are a group of their own, symmetry = { y = \"even\"; } (docs/user/job-file.md, \"symmetry\"), and "
     "walls are mirrors, \"pec\" across E and \"pmc\" across H"},
    {"harminv resonance resonances q_factor quality_factor", NULL,
     "; resonances: monitors of type \"resonances\" (docs/user/job-file.md, \"monitors\")"},
    {"gds gdsii stl mesh cad trianglemesh", NULL,
     "; layouts are objects of type \"gds\", surfaces \"stl\", grids \"voxels\" (docs/user/job-file.md, \"objects\")"},
    {"chi3 kerr n2 nonlinear nonlinearity", NULL,
     "; a Kerr effect: chi3_m2_per_V2 of a medium (docs/user/node-media.md)"},
    {"chi2 d_eff shg second_harmonic", NULL, "; second order: d_pm_per_V of a medium (docs/user/node-media.md)"},
    {"gain saturable saturable_gain multilevel multilevelatom n0 absorber", NULL,
     "; gain and absorption that saturate: saturation_V_per_m of a Lorentz pole (docs/user/node-media.md)"},
    {"time_modulation modulation modulation_spec", NULL, "; media that change in time there are not" PAGE},
};

static int has_word(const char *words, const char *word) {
  const size_t n = strlen(word);
  for (const char *w = words; n && w; w = strchr(w, ' ')) {
    w += *w == ' ';
    if (!strncasecmp(w, word, n) && (w[n] == ' ' || !w[n])) return 1;
  }
  return 0;
}

const char *tor_job_hint(const struct tor_key *key, const char *word) {
  for (int i = 0; i < (int)(sizeof hints / sizeof *hints); i++) {
    const char *where = hints[i].where;
    if (where && (!key || strncmp(key->path, where, strlen(where)) != 0)) continue;
    if (has_word(hints[i].words, word)) return hints[i].text;
  }
  return NULL;
}
