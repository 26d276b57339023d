import type { Picture } from './turn.ts';

/** As agents take them. */
export const pictureTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** As the service takes them. */
export const mostPictures = 16;
const mostBytes = 5_000_000;

/** The pictures among what was pasted or chosen, or why one of them cannot go along. */
export async function readPictures(files: Iterable<File>): Promise<readonly Picture[] | string> {
  const pictures: Picture[] = [];
  for (const file of files) {
    if (!pictureTypes.includes(file.type)) return 'A picture is a PNG, JPEG, GIF or WebP.';
    if (file.size > mostBytes) return 'A picture may have 5 MB at most.';
    pictures.push({ media_type: file.type, data: toBase64(new Uint8Array(await file.arrayBuffer())) });
  }
  return pictures;
}

function toBase64(bytes: Uint8Array): string {
  const chunk = 32_768;
  let text = '';
  for (let i = 0; i < bytes.length; i += chunk) text += String.fromCharCode(...bytes.subarray(i, i + chunk));
  return btoa(text);
}
