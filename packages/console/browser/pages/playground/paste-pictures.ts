import type { Picture } from './turn.ts';

const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** As the service takes them. */
export const mostPictures = 16;
const mostBytes = 5_000_000;

/** The pictures of a paste, or why one of them cannot go along. */
export async function readPictures(files: Iterable<File>): Promise<readonly Picture[] | string> {
  const pictures: Picture[] = [];
  for (const file of files) {
    if (!types.includes(file.type)) continue;
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
