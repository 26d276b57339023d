/** What a colour means: fine, look at it, broken, at work, or nothing. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'idle';
