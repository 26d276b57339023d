export { type ConsoleOptions, consolePlugin, type DevelopmentKey } from './console-plugin.ts';
