"""Media of Tidy3D as media of a job. Its convention of time is exp(-i w t), its units are micrometres and hertz."""
from __future__ import annotations

import json
import math
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from .parts import Part, table

_EPS0 = 8.8541878128e-12
_C_UM = 299792458e6
# What a medium may have and a job cannot.
_FEATURES = ("nonlinear_spec", "modulation_spec")

Complain = Callable[[str], None]


def complex_of(value: Any) -> complex:
    """A number as Tidy3D writes it: a real one, or a group of a real and an imaginary part."""
    if isinstance(value, Mapping):
        return complex(value.get("real", 0.0), value.get("imag", 0.0))
    return complex(value)


def _pole(word: str, **values: float) -> Part:
    return table().classes["poles"][word](**values)


def _lorentz(delta: float, f0: float, width: float) -> Part:
    return _pole("Lorentz", delta_eps=delta, omega_rad_per_s=2 * math.pi * f0, gamma_rad_per_s=2 * math.pi * width)


def _pairs(poles: List[Tuple[complex, complex]]) -> Tuple[List[Part], float]:
    """Poles and conductivity [S/m] of eps_inf - sum c / (i w + a) + c* / (i w + a*).

    A pair with Re c = 0 is a Lorentz pole, another one a critical point.
    """
    made: List[Part] = []
    charge = 0.0  # 2 Re c of poles at a = 0: a conductivity over eps0
    real: List[Tuple[float, float]] = []  # (rate, strength) of strength / (rate - i w)
    for a, c in poles:
        if a == 0:
            charge += 2 * c.real
        elif a.imag == 0:
            real.append((-a.real, 2 * c.real))
        elif abs(c.real) > 1e-10 * abs(c):
            phase = math.atan2(-c.real, -math.copysign(c.imag, c.imag * a.imag))
            made.append(_pole("CriticalPoint", amplitude=abs(c) / abs(a.imag), phase_rad=phase,
                              omega_rad_per_s=abs(a.imag), gamma_rad_per_s=-a.real))
        else:
            made.append(_pole("Lorentz", delta_eps=-2 * (c * a.conjugate()).real / abs(a) ** 2, omega_rad_per_s=abs(a),
                              gamma_rad_per_s=-2 * a.real))
    for rate, strength in real:
        # -wp^2 / (w (w + i g)) is a conductivity wp^2 / g and a pole -wp^2 / g at the rate g.
        if strength < 0 and charge >= -strength * (1 - 1e-9):
            made.append(_pole("Drude", plasma_rad_per_s=math.sqrt(-strength * rate), gamma_rad_per_s=rate))
            charge = max(0.0, charge + strength) if charge > -strength * (1 + 1e-9) else 0.0
        else:
            made.append(_pole("Debye", delta_eps=strength / rate, tau_fs=1e15 / rate))
    return made, charge * _EPS0


def _keys_of(m: Mapping[str, Any], complain: Complain) -> Optional[Dict[str, Any]]:
    """The keys of an isotropic medium."""
    kind = m["type"]
    if kind == "Medium":
        return {"permittivity": m["permittivity"], "conductivity_S_per_m": 1e6 * m["conductivity"]}
    if kind == "Lorentz":
        # delta f0^2 / (f0^2 - 2 i f d - f^2)
        return {"permittivity": m["eps_inf"], "poles": [_lorentz(d, f0, 2 * g) for d, f0, g in m["coeffs"]]}
    if kind == "Drude":
        poles = [_pole("Drude", plasma_rad_per_s=2 * math.pi * f, gamma_rad_per_s=2 * math.pi * g)
                 for f, g in m["coeffs"]]
        return {"permittivity": m["eps_inf"], "poles": poles}
    if kind == "Debye":
        poles = [_pole("Debye", delta_eps=d, tau_fs=1e15 * tau / (2 * math.pi)) for d, tau in m["coeffs"]]
        return {"permittivity": m["eps_inf"], "poles": poles}
    if kind == "Sellmeier":
        # B w^2 / (w^2 - C) in wavelengths is a Lorentz pole without loss at the wavelength sqrt(C).
        poles = [_lorentz(b, _C_UM / math.sqrt(c), 0.0) for b, c in m["coeffs"] if b != 0]
        return {"permittivity": 1.0, "poles": poles}
    if kind == "PoleResidue":
        pairs = [(complex_of(a), complex_of(c)) for a, c in m["poles"]]
        poles, conductivity = _pairs(pairs)
        return {"permittivity": m["eps_inf"], "poles": poles, "conductivity_S_per_m": conductivity}
    complain(f"there is no medium like {kind}")
    return None


def _anisotropic(m: Mapping[str, Any], complain: Complain, order: List[int]) -> Optional[Dict[str, Any]]:
    axes = [m[name] for name in ("xx", "yy", "zz")]
    if any(axis["type"] != "Medium" for axis in axes):
        complain("an anisotropic medium of a job has a permittivity and a conductivity for each axis, and no poles of "
                 "its own for each")
        return None
    return {"permittivity": [axes[i]["permittivity"] for i in order],
            "conductivity_S_per_m": [1e6 * axes[i]["conductivity"] for i in order]}


class Media:
    """The media of a simulation, each made once.

    order: the simulation's axes that are x, y, z of the job; replaced: media for names of the simulation's.
    """

    def __init__(self, order: List[int], replaced: Mapping[str, Any]):
        self.order = order
        self.replaced = replaced
        self._made: Dict[str, Any] = {}
        self.unused = set(replaced)

    def of(self, m: Mapping[str, Any], complain: Complain) -> Any:
        """A medium, or "vacuum" or "pec"; None where it was complained of."""
        key = json.dumps(m, sort_keys=True)
        if key not in self._made:
            self._made[key] = self._make(m, complain)
        return self._made[key]

    def _make(self, m: Mapping[str, Any], complain: Complain) -> Any:
        name = m.get("name")
        if name in self.replaced:
            self.unused.discard(name)
            return self.replaced[name]
        for feature in _FEATURES:
            if m.get(feature) is not None:
                complain(f"its {feature} is not in Torre")
                return None
        if m["type"] == "PECMedium":
            return "pec"
        if m["type"] == "AnisotropicMedium":
            keys = _anisotropic(m, complain, self.order)
        else:
            keys = _keys_of(m, complain)
        if keys is None:
            return None
        if not keys.get("poles"):
            keys.pop("poles", None)
        if keys.get("conductivity_S_per_m") in (0.0, [0.0, 0.0, 0.0]):
            del keys["conductivity_S_per_m"]
        if keys == {"permittivity": 1.0}:
            return "vacuum"
        return table().find("Medium")(name=_name(name), **keys)


def sheet_medium(m: Mapping[str, Any], media: Media, complain: Complain) -> Any:
    """The medium of a sheet: that of a film of one micrometre, over which Tidy3D spreads a Medium2D."""
    if m["ss"] != m["tt"]:
        complain("a sheet of a job conducts along both of its axes alike")
        return None
    medium = media.of({**m["ss"], "name": m["ss"].get("name") or m.get("name")}, complain)
    if medium == "pec":
        complain("a sheet of a job is no perfect conductor; give a body of pec")
        return None
    return medium


def _name(name: Optional[str]) -> Optional[str]:
    """A name that a job's medium may have: letters, digits and _."""
    if not name:
        return None
    plain = "".join(c if c.isalnum() and c.isascii() else "_" for c in name)
    return plain if plain[0].isalpha() else f"m_{plain}"
