/** Scripts that put no spaces between words: each of their characters counts as one. */
const spaceless =
  '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]';

/** A word is at most 40 characters; what is longer (addresses, keys) is several. A picture is a word, too. */
const word = new RegExp(
  `${spaceless}|\\p{Extended_Pictographic}|(?:(?!${spaceless})[\\p{L}\\p{N}]){1,40}`,
  'gu',
);

/**
 * The words of a text in their order, without case and accents. They hold nothing that means something in a search
 * expression, whatever the text is.
 */
export function toWords(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '');
  return plain.match(word) ?? [];
}

/** What a text has besides words and spaces, each character once; as words, which begin like no other. */
export function toSigns(text: string): readonly string[] {
  return [...new Set(text)]
    .filter((sign) => !/[a-zA-Z0-9\s]/.test(sign) && toWords(sign).length === 0)
    .map((sign) => `_${sign.codePointAt(0)}`);
}

/** Three characters in a row, each once; beginning and end of a word count as a character. None of a word below three. */
export function toTrigrams(words: Iterable<string>): readonly string[] {
  const found = new Set<string>();
  for (const one of new Set(words)) {
    const letters = Array.from(`_${one}_`);
    if (letters.length < 5) continue;
    for (let i = 0; i + 3 <= letters.length; i++) found.add(letters.slice(i, i + 3).join(''));
  }
  return [...found];
}
