import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenApiDocument } from '@waymark/openapi';
import { startProgram } from './program.ts';

const keys = {
  OPERATOR_KEY: 'operator-key-of-the-tests',
  DEVICE_KEY: 'device-key-of-the-tests',
  READER_KEY: 'reader-key-of-the-tests',
};

/** The document that the reference application serves. */
export async function fetchReferenceDocument(): Promise<OpenApiDocument> {
  const folder = mkdtempSync(join(tmpdir(), 'reference-document-'));
  const program = startProgram('apps/server/example/main.ts', {
    cwd: folder,
    env: { ...keys, PORT: '0', LOG_LEVEL: 'error' },
  });
  try {
    const [, url = ''] = await program.saying(/url +(http:\S+)/);
    const response = await fetch(`${url}/_svc/openapi.json`, { headers: { 'x-api-key': keys.OPERATOR_KEY } });
    return (await response.json()) as OpenApiDocument;
  } finally {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true });
  }
}
