"""JMESPath by libbide: a binding that shows that libbide can be bound.

    import bide
    bide.search("items[?ready].name", {"items": [{"name": "a", "ready": True}]})   # ["a"]
    bide.compile("length(items)").search_text('{"items": [1, 2]}')                  # 2

A value goes to the library as JSON, and a result that is no single value comes back so. A path of
members and indices alone is followed in Python: to hand the value over would cost more. An
expression may be used by one thread at a time: each thread compiles its own.
"""

import functools
import json
import os
import re

import cffi

try:  # several times as fast, in both directions
    from orjson import dumps as _encode, loads as _decode
except ImportError:
    _decode = json.loads

    def _encode(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


_ffi = cffi.FFI()
_ffi.cdef(
    """
    typedef struct bide_error bide_error;
    typedef struct bide_document bide_document;
    typedef struct bide_node bide_node;
    typedef struct bide_jmespath bide_jmespath;

    const char *bide_error_class(const bide_error *error);
    const char *bide_error_message(const bide_error *error);
    int bide_error_column(const bide_error *error);
    void bide_error_free(bide_error *error);

    bide_document *bide_document_read(const char *text, size_t length, bide_error **error);
    void bide_document_free(bide_document *document);
    const bide_node *bide_document_root(const bide_document *document);
    int bide_document_type_of(const bide_node *node);
    bool bide_document_boolean(const bide_node *node);
    int64_t bide_document_integer(const bide_node *node);
    uint64_t bide_document_unsigned(const bide_node *node);
    double bide_document_double(const bide_node *node);
    const char *bide_document_string(const bide_node *node, size_t *length);
    char *bide_document_write(const bide_node *node, size_t *length, bide_error **error);

    bide_jmespath *bide_jmespath_new(const char *text, size_t length, bide_error **error);
    void bide_jmespath_free(bide_jmespath *expression);
    const bide_node *bide_jmespath_evaluate(bide_jmespath *expression, const bide_node *node,
                                            bide_error **error);

    void free(void *memory);
    """
)
_library = _ffi.dlopen(os.environ.get("LIBBIDE", "libbide.so.1"))
_NULL = _ffi.NULL


class JMESPathError(ValueError):
    """What the library refuses. `kind` is its class: "syntax", "invalid-type", "json" …"""

    def __init__(self, kind, message, column):
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.column = column


def _raise(error):
    """Raises the error that a call has left, and frees it."""
    left = error[0]
    kind = _ffi.string(_library.bide_error_class(left)).decode()
    message = _ffi.string(_library.bide_error_message(left)).decode()
    column = _library.bide_error_column(left)
    _library.bide_error_free(left)
    if kind == "memory":
        raise MemoryError(message)
    raise JMESPathError(kind, message, column)


def _string(node):
    length = _ffi.new("size_t *")
    text = _library.bide_document_string(node, length)
    return _ffi.buffer(text, length[0])[:].decode()


def _written(node):
    length, error = _ffi.new("size_t *"), _ffi.new("bide_error **")
    text = _library.bide_document_write(node, length, error)
    if text == _NULL:
        _raise(error)
    try:
        return _decode(_ffi.buffer(text, length[0])[:])
    finally:
        _library.free(text)


# By bide_document_type.
_readers = (
    lambda node: None,
    _library.bide_document_boolean,
    _library.bide_document_integer,
    _library.bide_document_unsigned,
    _library.bide_document_double,
    _string,
    _written,
    _written,
)


_path = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[-?\d{1,9}\])*", re.ASCII)
_step = re.compile(r"\w+|-\d+", re.ASCII)


def _steps_of(text):
    """The members and indices of a path, or None for any other expression."""
    if not _path.fullmatch(text):
        return None
    return [step if step[0].isalpha() or step[0] == "_" else int(step) for step in _step.findall(text)]


def _follow(steps, value):
    for step in steps:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        elif isinstance(value, list) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


class Expression:
    """A compiled expression."""

    def __init__(self, text):
        self.text = text
        self._error = _ffi.new("bide_error **")
        given = text.encode()
        compiled = _library.bide_jmespath_new(given, len(given), self._error)
        if compiled == _NULL:
            _raise(self._error)
        self._compiled = _ffi.gc(compiled, _library.bide_jmespath_free)
        self._steps = _steps_of(text)

    def search_text(self, text):
        """Searches JSON, as str or bytes, and returns the result as a Python value."""
        if isinstance(text, str):
            text = text.encode()
        error = self._error
        document = _library.bide_document_read(text, len(text), error)
        if document == _NULL:
            _raise(error)
        try:
            root = _library.bide_document_root(document)
            node = _library.bide_jmespath_evaluate(self._compiled, root, error)
            if node == _NULL:
                _raise(error)
            return _readers[_library.bide_document_type_of(node)](node)
        finally:
            _library.bide_document_free(document)

    def search(self, value):
        """Searches a Python value that JSON can hold."""
        if self._steps is not None:
            return _follow(self._steps, value)
        return self.search_text(_encode(value))


compile = functools.lru_cache(maxsize=512)(Expression)


def search(expression, value):
    """Searches a Python value by the text of an expression."""
    return compile(expression).search(value)
