"""A Numba dispatcher that compiles faster: each function once, for int64 only, and to machine code only if Python
calls it.

Numba compiles every function to a complete library: machine code for the function and all its callees, and two entry
wrappers, which unpack a tuple of sixty arrays. So a callee is compiled again in each of its callers; for the largest
solver this was 3/4 of the time. Here a function that is called by compiled code is a `_Part`: only the LLVM code of
Numba's front end. When Python calls a function, the parts that it reaches are linked, optimised together, and given the
one wrapper that is used.

Numba's internals may change. If anything here fails, Numba's own way is used: slower, but as correct.
"""

from __future__ import annotations

import contextlib
import gc
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from llvmlite.binding import Linkage
from numba.core import compiler, sigutils, types, utils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.typing.templates import make_concrete_template

from ludus.core import compiling

Kinds = tuple[Any, ...]  # the types of the arguments


class _Part(JITCodeLibrary):
    """The code of a function that compiled code calls; it is optimised in its callers."""

    def finalize(self) -> None:
        self._finalized = True

    def reached(self) -> Iterator[Any]:
        """Itself and all libraries that it needs, perhaps with duplicates."""
        yield self
        for library in self._linking_libraries:
            if isinstance(library, _Part):
                yield from library.reached()
            else:
                yield library

    def _get_module_for_linking(self) -> Any:
        """Its module linked with each needed library once, for a caller that is compiled to machine code."""
        if self._shared_module is None:
            module = self._final_module.clone()
            needed = dict.fromkeys(self.reached())
            for library in needed:
                if isinstance(library, _Part) and library is not self:
                    module.link_in(library._final_module, preserve=True)
            for library in needed:  # Numba's own libraries last: only the symbols still missing are taken
                if not isinstance(library, _Part):
                    module.link_in(library._get_module_for_linking(), preserve=True)
            for function in list(module.functions):
                if not function.is_declaration and function.linkage == Linkage.external:
                    function.linkage = "linkonce_odr"  # may be in several modules; dropped if unused
            self._shared_module = module
        return self._shared_module


class Function(CPUDispatcher):
    """The dispatcher that `jit` makes of a function."""

    targetctx: Any
    typingctx: Any
    targetdescr: Any
    _compiler: Any
    _cache: Any
    _cache_hits: Any
    _cache_misses: Any

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._parts: dict[Kinds, Any] = {}
        weakref.finalize(self, _forget, self.targetctx, self._parts).atexit = False

    # --- for compiled code ----------------------------------------------------------------------------------

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The single signature for such arguments, for Numba's type inference."""
        signature, kinds = self._compiler.fold_argument_types(args, kws)
        try:
            with global_compiler_lock:
                part = self._part(_wide(kinds))
        except Exception:
            return super().get_call_template(args, kws)
        name = self.py_func.__name__
        template = make_concrete_template(f"CallTemplate({name})", key=name, signatures=[part.signature])
        return template, signature, kinds, {}

    def get_overload(self, sig: Any) -> Any:
        args, _ = sigutils.normalize_signature(sig)
        part = self._parts.get(tuple(args))
        return super().get_overload(sig) if part is None else part.entry_point

    def _part(self, args: Kinds) -> Any:
        if args not in self._parts:
            flags: Any = compiler.Flags()
            self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
            flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
            library = _Part(self.targetctx.codegen(), self.py_func.__qualname__)
            made: Any = compiler.compile_extra(
                self.typingctx, self.targetctx, self.py_func, args, None, flags, {}, library=library
            )
            mark = object()  # Numba's key for it
            self.targetctx.insert_user_function(mark, made.fndesc, [library])
            self._parts[args] = made._replace(entry_point=mark)
            _Progress.count(self)
        return self._parts[args]

    # --- for Python -----------------------------------------------------------------------------------------

    def compile(self, sig: Any) -> Any:
        kinds, _ = sigutils.normalize_signature(sig)
        args = _wide(kinds)
        with global_compiler_lock:
            if args not in self.overloads:
                made = self._cache.load_overload(args, self.targetctx)
                if made is not None:
                    self._cache_hits[args] += 1
                else:
                    self._cache_misses[args] += 1
                    try:
                        with compiling.stopping_the_clock(), _Progress.of(self), _without_collector():
                            made = self._whole(args)
                    except Exception:
                        return super().compile(sig)
                    self._cache.save_overload(args, made)
                self.add_overload(made)
            return self.overloads[args].entry_point

    def _whole(self, args: Kinds) -> Any:
        part = self._part(args)
        compiling.tell(f"{_Progress.name}, machine code")
        context, descriptor, environment = part.target_context, part.fndesc, part.environment
        library = self.targetctx.codegen().create_library(self.py_func.__qualname__)
        library.enable_object_caching()
        release = self.targetoptions.get("nogil", False)
        with context.push_code_library(library):
            context.create_cpython_wrapper(library, descriptor, environment, part.call_helper, release_gil=release)
        library.add_linking_library(part.library)
        entry = context.get_executable(library, descriptor, environment)
        return part._replace(library=library, entry_point=entry)


def _wide(kinds: Sequence[Any]) -> Kinds:
    """Widen small integers to int64, so that an int8 from an array and a literal give one signature. Keeps uint64."""
    plain = map(types.unliteral, kinds)
    small = types.int8, types.int16, types.int32, types.uint8, types.uint16, types.uint32
    return tuple(types.int64 if kind in small else kind for kind in plain)


def _forget(context: Any, parts: dict[Kinds, Any]) -> None:
    if not utils.shutting_down():
        for part in parts.values():
            with contextlib.suppress(KeyError):
                context.remove_user_function(part.entry_point)


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Disable the garbage collector: Numba makes many lasting objects, and scanning them took 1/10 of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class _Progress:
    """The progress of one compilation: how many of the reached functions are done."""

    name, left, total = "", frozenset[Function](), 0

    @classmethod
    @contextlib.contextmanager
    def of(cls, function: Function) -> Iterator[None]:
        """The caller holds the compiler's lock."""
        cls.left = frozenset(each for each in reached(function) if not each._parts)
        cls.name, cls.total = _place(function.py_func), len(cls.left)
        try:
            yield
        finally:
            cls.left = frozenset()
            compiling.tell(compiling.OVER)

    @classmethod
    def count(cls, function: Function) -> None:
        if function in cls.left:
            cls.left -= {function}
            compiling.tell(f"{cls.name}, {cls.total - len(cls.left)} of {cls.total}")


def reached(function: Function) -> set[Function]:
    """A function and all functions that it calls by name, directly or not."""
    found, ahead = {function}, [function]
    while ahead:
        called = {each for each in _named(ahead.pop().py_func) if isinstance(each, Function)} - found
        found |= called
        ahead += called
    return found


def _named(function: Callable) -> list[Any]:
    held = []
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a variable that is not assigned yet
            held.append(cell.cell_contents)
    return [*held, *(function.__globals__.get(name) for name in function.__code__.co_names)]


def _place(function: Callable) -> str:
    """A readable name of a function's package: "abalone solver" for `games.abalone.solver.proof`."""
    place = [word for word in function.__module__.split(".")[1:] if word != "games"]
    return " ".join(place[:-1] or place).replace("_", " ")
