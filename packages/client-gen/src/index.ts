export { type ToClientOptions, toClient } from './to-client.ts';
export { type ClientFile, type ToClientFilesOptions, toClientFiles } from './to-client-files.ts';
export { toMethodNames } from './to-method-names.ts';
