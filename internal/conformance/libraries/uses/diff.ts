// diff
// Texts compared by characters, words, lines, sentences, JSON and arrays; patches made, parsed and applied.
import * as Diff from "diff";

const a = "The quick brown fox\njumps over\nthe lazy dog.\n\nBye, Zürich!\n", b = "The quick red fox\njumps over\na lazy dog.\n\nBye, Zürich 🎉!\nMore\n";
export default {
  fetch() {
    const patch = Diff.createTwoFilesPatch("a.txt", "b.txt", a, b, "v1", "v2", { context: 1 });
    return Response.json({ chars: Diff.diffChars("kitten 👍", "sitting 👎"), words: Diff.diffWords(a, b), spaced: Diff.diffWordsWithSpace("a  b", "a b c"), lines: Diff.diffLines(a, b), sentences: Diff.diffSentences("One. Two!", "One. Three!"), json: Diff.diffJson({ b: 1, a: [1] }, { a: [1, 2], b: 1 }), arrays: Diff.diffArrays([1, 2, 3], [1, 3, 4]), css: Diff.diffCss("a{b:c}", "a{b:d}"), patch, applied: Diff.applyPatch(a, patch) === b, reversed: Diff.applyPatch(b, Diff.reversePatch(Diff.parsePatch(patch))) === a, fuzzy: Diff.applyPatch("x\n" + a, patch, { fuzzFactor: 2 }) !== false, fails: Diff.applyPatch("other", patch), structured: Diff.structuredPatch("x", "y", "1\n", "2\n").hunks, xml: Diff.convertChangesToXML(Diff.diffWords("a <b", "a <c")) });
  },
};
