import { expect, it } from 'vitest';
import * as http from '../src/index.ts';

it('exports these names', () => {
  expect(Object.keys(http).sort()).toEqual([
    'ListenError',
    'WebSocketClient',
    'attachDoor',
    'checkMountPath',
    'checkPolicies',
    'createDoor',
    'createLog',
    'createOutbound',
    'listen',
    'listenForOthers',
    'listenerLimits',
    'pagesPolicy',
    'policyRules',
    'problemText',
    'toAddressKey',
    'toETag',
  ]);
});
