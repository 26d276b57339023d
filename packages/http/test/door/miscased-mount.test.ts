import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { miscasedMount } from '../../src/door/miscased-mount.ts';

describe('miscasedMount', () => {
  it.each<[object, string, string | undefined]>([
    [{ baseUrl: '/api', url: '/x' }, '/api', undefined],
    [{ baseUrl: '/API', url: '/x' }, '/api', '/API'],
    [{ baseUrl: '/yard', url: '/x' }, '/api', undefined],
    [{ baseUrl: '/api', url: '/x' }, '', undefined],
    [{ baseUrl: '', url: '/API/x' }, '/api', undefined],
    // As connect has it.
    [{ url: '/x', originalUrl: '/Api/x' }, '/api', '/Api'],
    [{ url: '/', originalUrl: '/API' }, '/api', '/API'],
    [{ url: '/?a', originalUrl: '/API?a' }, '/api', '/API'],
    [{ url: '/x', originalUrl: '/api/x' }, '/api', undefined],
    [{ url: '/x', originalUrl: '/APIs/x' }, '/api', undefined],
    // Nothing was taken off: somebody in front gave it whole.
    [{ url: '/API/x', originalUrl: '/API/x' }, '/api', undefined],
    [{ url: '/API/x' }, '/api', undefined],
  ])('finds in %j, below "%s": %s', (has, mountPath, spelt) => {
    verifies('embed.mount-path.case');
    expect(miscasedMount(Object.assign(new IncomingMessage(new Socket()), has), mountPath)).toBe(spelt);
  });
});
