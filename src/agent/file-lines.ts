import { oneLine } from '../lib/plain-text.ts';
import { formatSize } from '../tools/text.ts';
import type { Attachment, ResultPicture } from '../transcript.ts';
import type { Picture, Pictures } from './pictures.ts';

/** How the model is told of something that was sent: one line, whatever it is called. */
export function fileLine(attachment: Attachment, pictures: Pictures): string {
  return `[file: ${nameOf(attachment)}${factsOf(attachment)}${stateOf(attachment, pictures)}]`;
}

/** How the model is told of a picture that a tool has brought. */
export function pictureLine({ path }: ResultPicture, picture: Picture): string {
  return `[picture: ${inside(path, 300)}${sightOf(picture)}]`;
}

function sightOf(picture: Picture): string {
  return 'image' in picture ? ', shown below' : `, ${inside(picture.unseen, 300)}`;
}

function nameOf(attachment: Attachment): string {
  if (attachment.state === 'saved') return inside(attachment.path, 300);
  const name = inside(attachment.name ?? '', 80);
  return name === '' ? attachment.kind : name;
}

/** `(application/pdf, 120 KB)` */
function factsOf({ mediaType = '', size }: Attachment): string {
  const type = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mediaType) ? [mediaType] : [];
  const facts = [...type, ...(size === undefined ? [] : [formatSize(size)])];
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
}

function stateOf(attachment: Attachment, pictures: Pictures): string {
  switch (attachment.state) {
    case 'pending':
      return ', not fetched';
    case 'missing':
      return `, missing: ${inside(attachment.note, 300)}`;
    case 'saved': {
      const picture = pictures.get(attachment);
      const sight = picture === undefined ? '' : sightOf(picture);
      return `${sight}${attachment.note === undefined ? '' : `, not written down: ${inside(attachment.note, 300)}`}`;
    }
  }
}

/** Nothing in it ends the brackets or the line. */
function inside(text: string, longest: number): string {
  return oneLine(text.replaceAll('[', '(').replaceAll(']', ')'), longest);
}
