import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../lib/workspace.ts';

const alone = join(repositoryRoot, 'tools', 'alone');
const page = readFileSync(join(repositoryRoot, 'docs', 'embedding-the-hub.md'), 'utf8');

describe('the page about embedding the device hub', () => {
  it.each([
    ['hub-node-http.ts', ['', 'x-api-key', 'viewer-key']],
    ['hub-express.ts', ['/yard', 'cookie', 'session=ann']],
  ])('shows %s, which takes a frame, gives it back, refuses strangers and stops', async (file, visit) => {
    verifies('hub.alone', 'hub.alone.no-database');
    const program = join(alone, file);
    expect(page).toContain(`\`\`\`ts\n${readFileSync(program, 'utf8')}\`\`\`\n`);
    const node = [process.execPath, '--conditions=@waymark/source', program];
    const visitor = [join(alone, 'hub-visitor.ts'), ...visit, ...node];
    await expect(promisify(execFile)(process.execPath, visitor)).resolves.toMatchObject({ stderr: '' });
  });
});
