/** The key of whoever follows. */
export const followedKey = 'followers-key-of-more-than-16-bytes';

/** What the tool says: a line of a log. */
export const toolAnswer = 'the lamp in the hall has been replaced, and works again. '.repeat(3);

/** A run that waits for a human, and then takes a hundred steps: as many calls of models as of tools, or nearly. */
export const followedInput = `[[call begin {}]] ${'[[call look {}]] '.repeat(49)}[[say It is done.]]`;
