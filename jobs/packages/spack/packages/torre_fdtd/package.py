# Recipe of Spack 1.0 and newer; untried. In the folder of the source:
#
#   spack repo add jobs/packages/spack
#   spack dev-build torre-fdtd@0.2.0 ^openmpi
#   spack dev-build torre-fdtd@0.2.0 +cuda ^openmpi+cuda fabrics=cma,ucx
#
# dev-build compiles the present folder, so there is no archive to fetch.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class TorreFdtd(CMakePackage):
    """Maxwell's equations in the time domain (FDTD) for nano-optics, by DiamondTorre tiling on CPUs and GPUs."""

    license("MIT")

    version("0.2.0")

    variant("mpi", default=True, description="Several processes, results written by all of them")
    variant("cuda", default=False, description="GPU engines")
    variant("pictures", default=True, description="Pictures by cairo")
    variant("modes", default=True, description="Solver of guided modes by ARPACK and SuperLU")
    variant("python", default=True, description="The package torre_fdtd for Python")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("libconfig@1.5:")
    depends_on("zlib-api")
    depends_on("hwloc@2.1:")
    depends_on("mpi", when="+mpi")
    depends_on("hdf5@1.10:+mpi", when="+mpi")
    depends_on("hdf5@1.10:~mpi", when="~mpi")
    depends_on("cairo@1.16:+ft+png+svg+pdf", when="+pictures")
    depends_on("arpack-ng@3.8:", when="+modes")
    depends_on("superlu@5.2:", when="+modes")
    depends_on("lapack", when="+modes")
    depends_on("cuda@12.5:", when="+cuda")
    with when("+python"):
        depends_on("python@3.9:", type="run")
        depends_on("py-numpy", type="run")
        depends_on("py-h5py", type="run")
        depends_on("py-xarray", type="run")
        depends_on("py-matplotlib", type="run")

    def cmake_args(self):
        return [
            self.define("TORRE_ARCH", "portable"),
            self.define("TORRE_TESTS", False),
            self.define_from_variant("TORRE_MPI", "mpi"),
            self.define_from_variant("TORRE_HDF5_PARALLEL", "mpi"),
            self.define_from_variant("TORRE_CUDA", "cuda"),
            self.define_from_variant("TORRE_CAIRO", "pictures"),
            self.define_from_variant("TORRE_MODES", "modes"),
        ]

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", join_path(self.prefix, "lib", "python3", "dist-packages"))
