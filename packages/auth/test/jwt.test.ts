import { jwt } from '@waymark/auth';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';

describe('jwt', () => {
  it('declares tokens as data: variable, rules and the line it stands on', () => {
    verifies('declare.jwt');
    expect(
      jwt('JWT_PEM', {
        algorithm: 'RS256',
        audience: 'tickets',
        issuer: 'https://issuer.example',
        leewaySecs: 5,
      }),
    ).toEqual({
      kind: 'jwt',
      name: 'JWT_PEM',
      options: {
        env: 'JWT_PEM',
        algorithm: 'RS256',
        audience: 'tickets',
        issuer: 'https://issuer.example',
        leewaySecs: 5,
      },
      declaredAt: expect.stringMatching(/test\/jwt\.test\.ts:\d+$/),
    });
  });

  it('expects HS256 within 30 seconds, of any audience and issuer, unless told', () => {
    verifies('declare.jwt.algorithm.default', 'declare.jwt.leeway.default');
    verifies('declare.jwt.audience.default', 'declare.jwt.issuer.default');
    const options = { env: 'JWT_SECRET', algorithm: 'HS256', leewaySecs: 30 };
    expect(jwt('JWT_SECRET').options).toEqual(options);
    expect(jwt('JWT_SECRET', {}).options).toEqual(options);
  });

  it('takes the place of the declaration from a function that wraps it', () => {
    const { declaredAt, options } = jwt('JWT_SECRET', { declaredAt: 'src/app.ts:12' });
    expect(declaredAt).toBe('src/app.ts:12');
    expect(options).not.toHaveProperty('declaredAt');
  });
});
