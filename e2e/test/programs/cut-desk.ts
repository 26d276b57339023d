import { createApplication } from '@waymark/server';
import { declareDesk } from '../cuts/declare-desk.ts';

const { MODELS: models = '', EFFECTS: effects = '', DATABASE: file = '' } = process.env;

/** The desk of turns that are cut off, for `waymark start`, whose models and effects are elsewhere. */
export const application = declareDesk(
  createApplication('cut', { database: `sqlite://${file}` })
    .apiKey('DESK_KEY', 'desk', { scopes: ['use'] })
    .apiKey('BOSS_KEY', 'boss', { scopes: ['use', 'svc:admin'] }),
  { models, effects },
);
