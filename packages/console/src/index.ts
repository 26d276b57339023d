export { type ConsoleOptions, consolePlugin } from './console-plugin.ts';
export type { DevelopmentKey } from './development-key.ts';
