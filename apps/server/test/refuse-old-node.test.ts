import { DeclarationError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { refuseOldNode } from '../src/boot/refuse-old-node.ts';

describe('an application that starts', () => {
  it.each(['18.20.8', '20.20.2', '22.17.1'])('refuses Node %s', (version) => {
    verifies('sql.old-node');
    expect(() => refuseOldNode(version)).toThrow(DeclarationError);
    expect(() => refuseOldNode(version)).toThrow(`Node ${version} is too old`);
  });

  it.each(['22.18.0', '22.19.0', '24.0.0', '100.0.0', process.versions.node])('takes Node %s', (version) => {
    expect(() => refuseOldNode(version)).not.toThrow();
  });
});
