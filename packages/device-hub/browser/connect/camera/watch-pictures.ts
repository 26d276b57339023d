/** Makes a bitmap of the newest picture. */
export type TakePicture = () => Promise<ImageBitmap>;

/** Of Image Capture, which TypeScript does not know. */
type ImageCaptureOf = new (track: MediaStreamTrack) => { grabFrame(): Promise<ImageBitmap> };

/** Browsers let a page that nobody sees work about so often. */
const hiddenIntervalMs = 1_000;

/**
 * Tells of each picture that the camera gives: as it is shown, and about once a second while the page is hidden, where
 * nothing is shown and the browser has another way to ask.
 *
 * @param video plays the track
 * @returns ends it
 */
export function watchPictures(
  video: HTMLVideoElement,
  track: MediaStreamTrack,
  tell: (take: TakePicture) => void,
): () => void {
  const unwatchShown = watchShown(video, () => tell(() => createImageBitmap(video)));
  const { ImageCapture } = globalThis as { readonly ImageCapture?: ImageCaptureOf };
  const capture = ImageCapture && new ImageCapture(track);
  const timer = setInterval(() => {
    // A muted track would give the picture that it had last, or none for as long as it is muted.
    if (document.hidden && capture && !track.muted && track.readyState === 'live')
      tell(() => capture.grabFrame());
  }, hiddenIntervalMs);
  return () => {
    unwatchShown();
    clearInterval(timer);
  };
}

/** Older browsers do not tell of pictures: there, one is looked for as often as something is painted. */
function watchShown(video: HTMLVideoElement, tell: () => void): () => void {
  let isWatching = true;
  const next = (): void => {
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(shown);
    else requestAnimationFrame(shown);
  };
  const shown = (): void => {
    if (!isWatching) return;
    next();
    tell();
  };
  next();
  return () => {
    isWatching = false;
  };
}
