import { serveEncoder } from './sending/serve-encoder.ts';

serveEncoder(globalThis);
