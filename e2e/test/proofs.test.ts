import { describe, expect, it } from 'vitest';
import { judgeProofs } from '../proofs/judge-proofs.ts';

const requirements = [
  { id: 'door.opens', clause: 'decisions 1', text: 'The door opens.' },
  { id: 'door.shuts', clause: 'decisions 1', text: 'The door shuts.' },
];

describe('judgeProofs', () => {
  it('is content when everything is cited', () => {
    expect(judgeProofs(requirements, new Set(['door.opens', 'door.shuts']))).toEqual({
      required: 2,
      proved: 2,
      problems: [],
    });
  });

  it('names what nobody cited, and what is no requirement', () => {
    expect(judgeProofs(requirements, new Set(['door.opens', 'door.shunts']))).toEqual({
      required: 2,
      proved: 1,
      problems: [
        'door.shunts: no requirement has this id',
        'door.shuts (decisions 1): no test that ran proves: The door shuts.',
      ],
    });
  });
});
