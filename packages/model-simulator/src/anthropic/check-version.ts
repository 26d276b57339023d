import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from './refuse.ts';

/** The version that has temperature, and the one that no longer has. */
const versions = ['2023-06-01', '2026-10-21'];

/** Every request names the version of the API that it is written for. @throws {Refusal} */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = headers['anthropic-version'];
  if (version === undefined) throw refuse('anthropic-version: header is required');
  if (!versions.includes(String(version))) {
    throw refuse(`anthropic-version: "${String(version)}" is not a valid version`);
  }
}

/** Whether a request is written for the newer version. */
export function isNewVersion(headers: IncomingHttpHeaders): boolean {
  return headers['anthropic-version'] === '2026-10-21';
}
