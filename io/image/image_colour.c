/* The colour maps: see image.h. Between two anchors a colour is linear in sRGB. */
#include "io/image/image.h"

#include <stdint.h>

enum { STEPS = 32, AREAS = 12 };

/* Diverging: Moreland, "Diverging Color Maps for Scientific Visualization", ISVC 2009, his blue and red in Msh with a
 * whiter middle, spaced by distance in CIELAB. Sequential: matplotlib's magma, spaced so that lightness is linear.
 * Cyclic: in CIELAB lightness falls by 72 from 92 at 0 to both ends; hue 268 degrees (blue) below 0, 35 (red) above,
 * chroma 58 sin(pi |t|)^0.9, less where sRGB ends. */
static const uint32_t anchor[3][STEPS + 1] = {
    {0x3b4cc0, 0x405bce, 0x4769da, 0x4e78e6, 0x5786f0, 0x6193f9, 0x6ca0ff, 0x78adff, 0x84b9ff, 0x91c4ff, 0x9fceff,
     0xadd6ff, 0xbadeff, 0xc8e4ff, 0xd5e9fd, 0xe2ecf6, 0xeeeeee, 0xf4e9e0, 0xf9e2d1, 0xfddbc2, 0xffd2b3, 0xffc7a4,
     0xffbc95, 0xfeaf87, 0xfaa179, 0xf5936c, 0xf08460, 0xe87454, 0xe06349, 0xd6523f, 0xcc3f36, 0xc0292e, 0xb40426},
    {0x000004, 0x10071e, 0x140d33, 0x1d1043, 0x281053, 0x331063, 0x3f1071, 0x4d1377, 0x5a177c, 0x681b80, 0x762080,
     0x842681, 0x922b80, 0xa12f7d, 0xb0347a, 0xbe3a76, 0xcb4070, 0xd9466a, 0xe35066, 0xea5c63, 0xf2685f, 0xf8745d,
     0xfa8262, 0xfc8f67, 0xfe9c6c, 0xfea974, 0xffb57e, 0xffc288, 0xfece91, 0xfeda9d, 0xfee6a8, 0xfdf1b3, 0xfcfdbf},
    {0x303030, 0x2c3b4e, 0x22476a, 0x005285, 0x045d95, 0x0469a6, 0x0074b8, 0x0380ca, 0x058cdc, 0x0998ee, 0x22a4fe,
     0x5aafff, 0x7cbaff, 0x97c6ff, 0xb2d1fc, 0xcdddf4, 0xe8e8e8, 0xf6d4cd, 0xfdc1b5, 0xffae9f, 0xfe9c8b, 0xfa8b79,
     0xf27b69, 0xe86c5b, 0xdb5f4f, 0xcc5446, 0xbb4b3e, 0xa84438, 0x943f34, 0x7e3b31, 0x663730, 0x4e342f, 0x303030}};

/* Pale colours, from Okabe and Ito's palette on white; number 0 is white, the colours repeat. */
static const uint32_t areas[AREAS] = {0xfbe3b0, 0xbfe0f5, 0xb5e0d0, 0xf3d3e4, 0xd9d9d9, 0xf7f2b4,
                                      0xb9cfe4, 0xf2c9b3, 0xd5c9e8, 0xcfe3b4, 0xe4cdb9, 0xc9c9c9};

uint32_t tor_image_colour(enum tor_image_mode mode, double t) {
  if (mode == TOR_IMAGE_AREAS) return t < 0.5 ? 0xffffff : areas[((int)(t + 0.5) - 1) % AREAS];
  double place = STEPS * (mode == TOR_IMAGE_SEQUENTIAL ? t : (t + 1) / 2);
  place = place < 0 ? 0 : place > STEPS ? STEPS : place;
  const int i = place < STEPS ? (int)place : STEPS - 1;
  uint32_t colour = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const double a = anchor[mode][i] >> shift & 255, b = anchor[mode][i + 1] >> shift & 255;
    colour |= (uint32_t)(a + (place - i) * (b - a) + 0.5) << shift;
  }
  return colour;
}
