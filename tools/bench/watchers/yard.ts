/** What is measured: so many cameras, and as many watchers as a loaded house has. */
export const cameras = 50;
export const watchersPerCamera = 4;
/** Cameras whose pictures change; the others send the same bytes again and again. */
export const lively = 2;
export const fps = 30;
export const frameBytes = 20_000;
/** Readers of those whose pictures change. */
export const readers = 10;

export const keys = { ingest: 'the-key-of-the-cameras', read: 'the-key-of-the-readers' } as const;

export const cameraName = (n: number): string => `yard_${n}`;
