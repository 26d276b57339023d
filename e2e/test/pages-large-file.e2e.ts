import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byTier, verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, startProgram } from './program.ts';

const mb = 1024 ** 2;
/** Many times what a process may take for it. */
const size = byTier({ quick: 512, slow: 512, drill: 2_048 }) * mb;

describe.skipIf(process.platform !== 'linux')(`a static file of ${size / mb} MB`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-large-file-'));
  let program: Program;
  let url: string;

  beforeAll(async () => {
    // Sparse: it is as long as it says, and holds nothing but its first and last byte.
    writeFileSync(join(folder, 'large.bin'), 'a');
    truncateSync(join(folder, 'large.bin'), size);
    program = startProgram('e2e/test/programs/large-file.ts', {
      cwd: folder,
      argv: [folder],
      env: { LOG_LEVEL: 'error' },
    });
    [, url = ''] = await program.saying(/url (http:\S+)/);
  });
  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true });
  });

  /** What the process keeps in memory, in bytes. */
  function residentBytes(): number {
    const status = readFileSync(`/proc/${program.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  /** How often the process has the file open. */
  function openFiles(): number {
    const descriptors = `/proc/${program.child.pid}/fd`;
    return readdirSync(descriptors).filter((fd) => {
      try {
        return readlinkSync(join(descriptors, fd)).startsWith(folder);
      } catch {
        return false;
      }
    }).length;
  }

  function request(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      get(new URL('/files/large.bin', url), { agent: false }, resolve).on('error', reject);
    });
  }

  /**
   * Reads the file to its end into one buffer, again and again: chunks for each piece would cost more than serving them.
   *
   * @returns how long the body was
   */
  function readAll(note: (received: number) => void): Promise<number> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      let head: string | undefined = '';
      let received = 0;
      const callback = (length: number, buffer: Uint8Array): boolean => {
        received += length;
        if (head === undefined) note(received);
        else {
          head += Buffer.from(buffer.subarray(0, length)).toString('latin1');
          const end = head.indexOf('\r\n\r\n');
          if (end < 0) return true;
          received -= end + 4;
          if (!head.startsWith('HTTP/1.1 200 ')) reject(new Error(head.slice(0, end)));
          head = undefined;
        }
        return true;
      };
      const socket = connect({
        host: hostname,
        port: Number(port),
        onread: { buffer: Buffer.alloc(mb), callback },
      });
      socket.on('error', reject).on('close', () => resolve(received));
      socket.write(`GET /files/large.bin HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`);
    });
  }

  it('is streamed in constant memory', { timeout: 300_000 }, async () => {
    verifies('files.streamed');
    const warm = await request();
    for await (const chunk of warm) if (chunk.length >= 0) break;
    warm.destroy();
    const before = residentBytes();
    let most = before;
    let looked = 0;
    const received = await readAll((soFar) => {
      if (soFar - looked < 32 * mb) return;
      looked = soFar;
      most = Math.max(most, residentBytes());
    });
    expect(received).toBe(size);
    console.log(`${size / mb} MB: ${Math.round(before / mb)} MB before, at most ${Math.round(most / mb)} MB`);
    expect((most - before) / mb).toBeLessThan(96);
    await expect.poll(openFiles).toBe(0);
  });

  it('is not read ahead for readers who are slow', async () => {
    const before = residentBytes();
    const readers = await Promise.all(Array.from({ length: 20 }, request));
    for (const reader of readers) reader.pause();
    await expect.poll(openFiles).toBe(20);
    // Enough turns for whoever reads ahead.
    for (let i = 0; i < 100; i++) await fetch(new URL('/files/large.bin', url), { method: 'HEAD' });
    expect((residentBytes() - before) / mb).toBeLessThan(64);
    for (const reader of readers) reader.destroy();
    await expect.poll(openFiles).toBe(0);
  });

  it('is closed when its reader leaves', async () => {
    verifies('files.streamed');
    for (let i = 0; i < 50; i++) {
      const response = await request();
      await new Promise((resolve) => response.once('data', resolve));
      response.destroy();
    }
    await expect.poll(openFiles).toBe(0);
    expect(
      (await fetch(new URL('/files/large.bin', url), { method: 'HEAD' })).headers.get('content-length'),
    ).toBe(String(size));
  });
});
