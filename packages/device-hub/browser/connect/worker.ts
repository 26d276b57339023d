import { serveEncoder } from './sending/serve-encoder.ts';

// The types of a page and of a worker exclude each other; these are a page's.
serveEncoder(globalThis as unknown as Parameters<typeof serveEncoder>[0]);
