"""Meep on the same job as vacuum.cfg: empty domain, PML on all sides."""
import meep_rate

meep_rate.measure("vacuum", [])
