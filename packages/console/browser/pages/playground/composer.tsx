import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useKeys } from '../../app/app-context.ts';
import { leaveField } from '../../app/keep-focus.ts';
import { counted } from '../../design/words.ts';
import { mostPictures, pictureTypes, readPictures } from './paste-pictures.ts';
import type { Picture } from './turn.ts';

interface ComposerProps {
  readonly name: string;
  readonly images: boolean;
  readonly busy: boolean;
  send(text: string, pictures: readonly Picture[]): void;
}

/** Where words to an agent are written; Enter sends, Shift and Enter begin a line. */
export function Composer({ name, images, busy, send }: ComposerProps): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const [pictures, setPictures] = useState<readonly Picture[]>([]);
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  useKeys([{ keys: 'i', says: 'write', press: () => field.current?.focus() }]);
  const submit = (): void => {
    const text = field.current?.value.trim() ?? '';
    if (busy || text === '' || !field.current) return;
    send(text, pictures);
    field.current.value = '';
    setPictures([]);
    setWrong(undefined);
  };
  const take = async (files: readonly File[]): Promise<void> => {
    if (!images) {
      setWrong(`${name} takes no pictures: declare the agent with images.`);
      return;
    }
    setWrong(undefined);
    const read = await readPictures(files);
    if (typeof read === 'string') setWrong(read);
    else setPictures((before) => [...before, ...read].slice(0, mostPictures));
  };
  const paste = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void take(files);
  };
  return (
    <form
      class="compose"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label class="unseen" for="words">
        Words to {name}
      </label>
      <textarea
        id="words"
        ref={field}
        class="input grow"
        rows={2}
        placeholder={images ? `Ask ${name}; paste pictures, or choose them` : `Ask ${name}`}
        onPaste={paste}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && field.current) leaveField(field.current);
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      {images && <PictureChoice take={(files) => void take(files)} />}
      <button type="submit" class="button primary" aria-disabled={busy}>
        {busy ? 'Working…' : 'Send'}
      </button>
      {pictures.length > 0 && (
        <p class="small soft">
          {counted(pictures.length, 'picture')} will go along.{' '}
          <button
            type="button"
            class="button plain slight"
            onClick={() => {
              setPictures([]);
              field.current?.focus();
            }}
          >
            Take out
          </button>
        </p>
      )}
      {wrong !== undefined && (
        <p class="wrong small" role="alert">
          {wrong}
        </p>
      )}
    </form>
  );
}

/** Pictures from this machine, for whoever has none to paste. */
function PictureChoice({ take }: { take(files: readonly File[]): void }): VNode {
  return (
    <label class="button chooses">
      Picture…
      <input
        type="file"
        class="unseen"
        accept={pictureTypes.join(',')}
        multiple
        onChange={({ currentTarget }) => {
          take([...(currentTarget.files ?? [])]);
          // The same one can be chosen again.
          currentTarget.value = '';
        }}
      />
    </label>
  );
}
