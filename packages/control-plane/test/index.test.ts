import * as controlPlane from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';

describe('@waymark/control-plane', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(controlPlane).sort()).toEqual([
      'controlPlane',
      'controlRule',
      'mcpAuthorization',
      'problemPages',
      'toSecurityReport',
    ]);
  });
});
