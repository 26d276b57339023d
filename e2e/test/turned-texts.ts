/** For a browser: what of a page would be seen as another text than it is, in texts, names and titles. */
export const turnedTexts = `[...document.querySelectorAll('*')]
  .flatMap((one) => [...[...one.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data),
    ...['title', 'aria-label', 'alt', 'placeholder'].map((name) => one.getAttribute(name) ?? '')])
  .concat(document.title)
  .filter((text) => /[\\u0000\\u0007\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028\\u202a-\\u202e\\u2066-\\u2069\\u3164\\u{e0041}]/u.test(text))`;
