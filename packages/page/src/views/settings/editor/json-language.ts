import { indentService } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

const marks = {
  key: Decoration.mark({ class: 'cm-json-key' }),
  text: Decoration.mark({ class: 'cm-json-text' }),
  word: Decoration.mark({ class: 'cm-json-word' }),
  comment: Decoration.mark({ class: 'cm-json-comment' }),
} as const;

/** A comment, a key, a text, or a number and the like. */
const words = /\/\/.*|\/\*.*?(?:\*\/|$)|("(?:[^"\\]|\\.)*")(\s*:)?|-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

const decorator = new MatchDecorator({
  regexp: words,
  decorate: (add, from, _to, [word, quoted, colon]) => {
    const length = quoted?.length ?? word.length;
    add(from, from + length, markOf(word, quoted, colon));
  },
});

function markOf(word: string, quoted: string | undefined, colon: string | undefined): Decoration {
  if (quoted !== undefined) return colon === undefined ? marks.text : marks.key;
  return word.startsWith('/') ? marks.comment : marks.word;
}

class Colours {
  decorations: DecorationSet;

  constructor(view: EditorView) {
    this.decorations = decorator.createDeco(view);
  }

  update(update: ViewUpdate): void {
    this.decorations = decorator.updateDeco(update, this.decorations);
  }
}

/** JSON with comments. Only what is in view is read, so a long text is no slower than a short one. */
export const jsonLanguage: Extension = [
  ViewPlugin.fromClass(Colours, { decorations: ({ decorations }) => decorations }),
  EditorState.languageData.of(() => [
    { commentTokens: { line: '//', block: { open: '/*', close: '*/' } }, closeBrackets: { brackets: ['[', '{', '"'] } },
  ]),
  indentService.of((context, at) => {
    const above = context.lineAt(at, -1).text;
    const opens = /[{[]\s*(?:\/\/.*)?$/.test(above);
    const indent = /^\s*/.exec(above)?.[0].length ?? 0;
    return opens ? indent + context.unit : indent;
  }),
];
