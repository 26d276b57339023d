import type { Api } from '../model/api.ts';
import { keyField } from './ask-for-key.ts';
import { el, setText } from './dom.ts';
import type { Visitor } from './visitor.ts';

/** Says who calls, and takes another key. */
export function keyMenu(api: Api, visitor: Visitor): HTMLElement {
  const summary = el('summary', {});
  const field = keyField('calls-key');
  const forget = el('button', { type: 'button' }, 'Forget it');
  const form = el(
    'form',
    { class: 'card menu' },
    el('label', { for: 'calls-key' }, 'Key for calls'),
    field,
    el('p', { class: 'soft small-text' }, 'It is kept in this page alone, and stands in no snippet.'),
    el('div', { class: 'buttons' }, el('button', { type: 'submit', class: 'main' }, 'Use it'), forget),
  );
  const menu = el('details', { class: 'key-menu' }, summary, form);
  const update = (): void => {
    const caller = visitor.caller(api);
    setText(summary, { key: 'With a key', session: 'Signed in', nobody: 'Without a key' }[caller]);
    forget.hidden = visitor.key === undefined;
  };
  const close = (): void => {
    field.value = '';
    menu.open = false;
    summary.focus();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const key = field.value.trim();
    if (key === '') return field.focus();
    visitor.key = key;
    close();
  });
  forget.addEventListener('click', () => {
    visitor.key = undefined;
    close();
  });
  menu.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  visitor.changed.addEventListener('change', update);
  update();
  return menu;
}
