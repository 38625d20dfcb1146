"""Many searches in one call into Java, in Java's own threads: not one call per query, or even per hit.

A call costs microseconds, and pyjnius is not safe between threads. So a search is put together out of method handles
(text → distinct words → query → within the pool → best documents → JSON), and `Arrays.parallelSetAll` applies it to a
whole list.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from indexing.lexical.engine import Repeated
from indexing.lexical.jvm import JAVA

FIELD, UNIT, ID = "contents", "unit", "id"
"""The fields of a document: the indexed text, its unit number, and the same as the string that is Pyserini's id."""

NO_LIMIT = 2**31 - 1
_SEARCH = "org.apache.lucene.search."
_QUERY, _STRING, _OBJECT = "Lorg/apache/lucene/search/Query;", "Ljava/lang/String;", "Ljava/lang/Object;"
_BUILDER = "org.apache.lucene.search.BooleanQuery$Builder"


class LuceneCalls:
    """An open Lucene index as Java sees it. Whoever calls a method here has acquired `JAVA`, except for `answers…`.

    `settings` are what our writer stored with its last commit; an index of others has none, is searched by the `bm25`
    that is given, and has `ID` as the key that documents are found by.
    """

    def __init__(self, jnius: Any, path: Path, bm25: tuple[float, float] | None = None, key: str = UNIT) -> None:
        self._jnius = jnius
        java = self._java = jnius.autoclass
        directory = java("org.apache.lucene.store.FSDirectory").open(java("java.nio.file.Paths").get(str(path)))
        reader = java("org.apache.lucene.index.DirectoryReader").open(directory)
        stored = reader.getIndexCommit().getUserData()
        self.settings = {key: stored.get(key) for key in ("k1", "b", "last")}
        self._reader = jnius.cast("org.apache.lucene.index.IndexReader", reader)
        searcher_class = java(_SEARCH + "IndexSearcher")
        searcher_class.setMaxClauseCount(NO_LIMIT)
        searcher = searcher_class(self._reader)
        k1, b = map(float, bm25 or (self.settings["k1"], self.settings["b"]))
        searcher.setSimilarity(java(_SEARCH + "similarities.BM25Similarity")(k1, b))

        types = java(_SEARCH + "SortField$Type")
        numbered = java(_SEARCH + "SortedNumericSortField")(key, types.INT) if key == UNIT else None
        by_key = numbered or java(_SEARCH + "SortField")(key, types.STRING_VAL)
        self._order = java(_SEARCH + "Sort")(java(_SEARCH + "SortField").FIELD_SCORE, by_key)
        self._collectors = java(_SEARCH + "TopFieldCollector")
        self._occur = java(_SEARCH + "BooleanClause$Occur")
        self._analyzer = java("io.anserini.analysis.DefaultEnglishAnalyzer").newDefaultInstance()
        self._array_list = java("java.util.ArrayList")
        self._key_set = unit_set(jnius) if key == UNIT else self._id_set
        filler = f"([{_OBJECT}Ljava/util/function/IntFunction;)V"  # fills an array in parallel, by index
        self._fill = _static_method(jnius, "java/util/Arrays", "parallelSetAll", filler)
        self._handles, self._types = java("java.lang.invoke.MethodHandles"), java("java.lang.invoke.MethodType")
        self._proxies, self._classes = java("java.lang.invoke.MethodHandleProxies"), java("java.lang.Class")
        self._lookup = self._handles.publicLookup()
        self._searcher = searcher
        self._find_handles(searcher)

    def _find_handles(self, searcher: Any) -> None:
        manager = "Lorg/apache/lucene/search/CollectorManager;"
        self._search = self._virtual(_SEARCH + "IndexSearcher", "search", f"({_QUERY}{manager}){_OBJECT}")
        self._search = self._search.bindTo(searcher)
        generator = "io.anserini.search.query.BagOfWordsQueryGenerator"
        analyzer = "Lorg/apache/lucene/analysis/Analyzer;"
        bag = self._virtual(generator, "buildQuery", f"({_STRING}{analyzer}{_STRING}){_QUERY}")
        blanks = self._java("org.apache.lucene.analysis.core.WhitespaceAnalyzer")()
        self._word_bag = self._bound(bag, 0, self._java(generator)(), FIELD, blanks)
        distinct = self._handles.filterArguments(self._word_bag, 0, self._distinct_words(analyzer))
        self._bags = {
            "distinct": distinct,
            "counted": self._bound(bag, 0, self._java(generator)(), FIELD, self._analyzer),
        }
        mapper = "com.fasterxml.jackson.databind.ObjectMapper"
        self._json = self._virtual(mapper, "writeValueAsString", f"({_OBJECT}){_STRING}").bindTo(self._java(mapper)())
        self._get = self._virtual("java.util.List", "get", f"(I){_OBJECT}")

    def _distinct_words(self, analyzer: str) -> Any:
        """A handle from a text to its words as they are searched by, each of them once, with blanks between."""
        list_type, set_type = "Ljava/util/List;", "Ljava/util/LinkedHashSet;"
        words = self._static("io.anserini.analysis.AnalyzerUtils", "analyze", f"({analyzer}{_STRING}){list_type}")
        distinct = self._lookup.findConstructor(
            self._class("java.util.LinkedHashSet"), self._type("(Ljava/util/Collection;)V")
        )
        join = self._static("java.lang.String", "join", f"(Ljava/lang/CharSequence;Ljava/lang/Iterable;){_STRING}")
        join = self._bound(join, 0, " ").asType(self._type(f"({set_type}){_STRING}"))
        distinct = self._handles.filterReturnValue(distinct.asType(self._type(f"({list_type}){set_type}")), join)
        return self._handles.filterReturnValue(self._bound(words, 0, self._analyzer), distinct)

    def answers(self, queries: Sequence[Any], k: int, pool: Any, repeated: Repeated) -> list[str]:
        """The `k` best documents of each query, sorted by score and unit number, as JSON of Lucene's `TopFieldDocs`.

        The queries are all texts, or all Lucene queries; `pool` is what `restriction` made of the units, or None.
        """
        texts = isinstance(queries[0], str)
        with JAVA:
            handle = self._bound(self._search, 1, self._collectors.createSharedManager(self._order, k, None, NO_LIMIT))
            handle = self._handles.filterReturnValue(handle, self._json)
            if pool is not None:
                handle = self._handles.filterArguments(handle, 0, pool)
            if texts:
                handle = self._handles.filterArguments(handle, 0, self._bags[repeated])
            handle = self._handles.filterArguments(handle, 0, self._item(queries, _STRING if texts else _QUERY))
        return self._applied(handle, len(queries))

    def answers_in_two_stages(
        self, finding: Sequence[str], scoring: Sequence[str], candidates: int, k: int, pool: Any
    ) -> list[str]:
        """The same for queries in two parts: the first finds candidates, the second adds its score to theirs.

        Both parts are words as `words` returns them, with blanks between; there are at least `k` candidates.
        """
        documents = "Lorg/apache/lucene/search/TopDocs;"
        with JAVA:
            best = self._java(_SEARCH + "TopScoreDocCollector").createSharedManager(candidates, None, NO_LIMIT)
            finder = self._bound(self._search, 1, best).asType(self._type(f"({_QUERY}){documents}"))
            if pool is not None:
                finder = self._handles.filterArguments(finder, 0, pool)
            finder = self._handles.filterArguments(finder, 0, self._word_bag)
            rescorer = _SEARCH + "QueryRescorer"
            searcher = "Lorg/apache/lucene/search/IndexSearcher;"
            handle = self._static(rescorer, "rescore", f"({searcher}{documents}{_QUERY}DI){documents}")
            handle = self._bound(handle, 0, self._searcher)
            integer = self._java("java.lang.Integer")
            handle = self._bound(handle, 3, integer(candidates))
            handle = self._bound(handle, 2, self._java("java.lang.Double")(1.0))
            sort = self._virtual(_SEARCH + "SortRescorer", "rescore", f"({searcher}{documents}I){documents}")
            sort = self._bound(sort.bindTo(self._java(_SEARCH + "SortRescorer")(self._order)), 0, self._searcher)
            sort = self._bound(sort, 1, integer(k)).asType(self._type(f"({documents}){_OBJECT}"))
            handle = self._handles.filterReturnValue(handle, self._handles.filterReturnValue(sort, self._json))
            for position, (query, texts) in enumerate(((finder, finding), (self._word_bag, scoring))):
                from_position = self._handles.filterArguments(query, 0, self._item(texts, _STRING))
                handle = self._handles.filterArguments(handle, position, from_position)
            handle = self._handles.permuteArguments(handle, self._type(f"(I){_STRING}"), 0, 0)
        return self._applied(handle, len(finding))

    def _item(self, values: Sequence[Any], kind: str) -> Any:
        """A handle from a position to one of the values."""
        items = self._array_list()
        for value in values:
            items.add(value)
        return self._get.bindTo(items).asType(self._type(f"(I){kind}"))

    def _applied(self, handle: Any, count: int) -> list[str]:
        """What a handle returns for each position, computed in parallel."""
        with JAVA:
            handle = handle.asType(self._type(f"(I){_OBJECT}"))
            function = self._proxies.asInterfaceInstance(self._class("java.util.function.IntFunction"), handle)
        answers: list[str] = [""] * count
        self._fill(answers, function)  # static, so safe between threads, and it takes nearly all of the time
        return answers

    def restriction(self, keys: list[Any]) -> Any:
        """A handle that makes a query one that matches the documents of these keys only."""
        occur = "Lorg/apache/lucene/search/BooleanClause$Occur;"
        new = self._lookup.findConstructor(self._class(_BUILDER), self._type("()V"))
        builder = f"L{_BUILDER.replace('.', '/')};"
        add = self._virtual(_BUILDER, "add", f"({_QUERY}{occur}){builder}")
        score = self._handles.foldArguments(self._bound(add, 2, self._occur.MUST), new)
        restrict = self._bound(self._bound(add, 2, self._occur.FILTER), 1, self._key_set(keys))
        build = self._virtual(_BUILDER, "build", "()Lorg/apache/lucene/search/BooleanQuery;")
        build = build.asType(self._type(f"({builder}){_QUERY}"))
        return self._handles.filterReturnValue(self._handles.filterReturnValue(score, restrict), build)

    def words(self, text: str) -> list[str]:
        """The words that a text is searched by, as they occur."""
        printed = self._java("io.anserini.analysis.AnalyzerUtils").analyze(self._analyzer, text).toString()[1:-1]
        return printed.split(", ") if printed else []

    def vector(self, id_: str) -> dict[str, int]:
        """The words of the document of this id and how often they occur in it; none where no vectors are stored."""
        vector = self._java("io.anserini.index.IndexReaderUtils").getDocumentVector(self._reader, id_)
        printed = vector.toString()[1:-1] if vector is not None else ""
        pairs = (entry.rpartition("=") for entry in printed.split(", ") if entry)
        return {word: int(count) for word, _, count in pairs}

    def frequency(self, word: str, field: str = FIELD) -> int:
        """In how many documents a word occurs."""
        return int(self._reader.docFreq(self._java("org.apache.lucene.index.Term")(field, word)))

    def count(self) -> int:
        """How many documents there are."""
        return int(self._reader.numDocs())

    def has_vectors(self) -> bool:
        """Whether the words of each document are stored."""
        field = self._java("org.apache.lucene.index.FieldInfos").getMergedFieldInfos(self._reader).fieldInfo(FIELD)
        return field is not None and bool(field.hasVectors())

    def _id_set(self, ids: Sequence[str]) -> Any:
        """The Lucene query that matches the documents of these ids."""
        keys, bytes_of = self._array_list(), self._java("org.apache.lucene.util.BytesRef")
        for id_ in ids:
            keys.add(bytes_of(id_.encode()))
        return self._java(_SEARCH + "TermInSetQuery")(ID, keys)

    def weighted(self, weights: dict[str, float]) -> Any:
        """The Lucene query for words of given weights."""
        builder = self._java(_BUILDER)()
        term, term_query = self._java("org.apache.lucene.index.Term"), self._java(_SEARCH + "TermQuery")
        boost = self._java(_SEARCH + "BoostQuery")
        for word, weight in weights.items():
            query = self._jnius.cast(_SEARCH + "Query", term_query(term(FIELD, word)))
            builder.add(boost(query, weight), self._occur.SHOULD)
        return builder.build()

    def close(self) -> None:
        """Release the files of the index."""
        self._reader.close()

    def _virtual(self, owner: str, name: str, descriptor: str) -> Any:
        return self._lookup.findVirtual(self._class(owner), name, self._type(descriptor))

    def _static(self, owner: str, name: str, descriptor: str) -> Any:
        return self._lookup.findStatic(self._class(owner), name, self._type(descriptor))

    def _bound(self, handle: Any, position: int, *values: Any) -> Any:
        for value in values:  # one by one: pyjnius makes an array of the first value's type out of several
            handle = self._handles.insertArguments(handle, position, value)
        return handle

    def _class(self, name: str) -> Any:
        return self._classes.forName(name)

    def _type(self, descriptor: str) -> Any:
        return self._types.fromMethodDescriptorString(descriptor, None)


def unit_set(jnius: Any) -> Any:
    """A function from a list of unit numbers to the Lucene query that matches them."""
    query = _static_method(jnius, "org/apache/lucene/document/IntPoint", "newSetQuery", f"({_STRING}[I){_QUERY}")
    return lambda units: query(UNIT, units)


def _static_method(jnius: Any, owner: str, name: str, signature: str) -> Any:
    """A static method by its signature: pyjnius takes variable arguments apart, and guesses overloaded methods."""
    members = {"__javaclass__": owner, name: jnius.JavaStaticMethod(signature)}
    java_class = jnius.MetaJavaClass(owner, (jnius.JavaClass,), members)
    # Not the method itself: it does not keep its class alive, without which Java ends the process.
    return lambda *arguments: getattr(java_class, name)(*arguments)
