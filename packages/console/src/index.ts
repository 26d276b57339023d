export { type ConsoleOptions, consolePlugin } from './console-plugin.ts';
