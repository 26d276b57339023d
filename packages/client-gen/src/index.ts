export { type ToClientOptions, toClient } from './to-client.ts';
