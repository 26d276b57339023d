export { type Embedded, embed } from './embed.ts';
export type { EmbedOptions } from './embed-options.ts';
export { embedRules } from './embed-rules.ts';
