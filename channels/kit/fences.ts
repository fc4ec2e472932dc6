/** A code block that was opened and not closed. */
export interface OpenFence {
  readonly marks: string;
  /** What stands behind the marks: mostly the name of a language. */
  readonly info: string;
}

const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** What is open after the line, if that was open before it. */
export function fenceAfter(open: OpenFence | undefined, line: string): OpenFence | undefined {
  const [, marks = '', info = ''] = fenceLine.exec(line) ?? [];
  if (marks === '') return open;
  if (open === undefined) return marks.startsWith('`') && info.includes('`') ? undefined : { marks, info };
  return marks.startsWith(open.marks) && info.trim() === '' ? undefined : open;
}

/** What is open at the end of the text. */
export function openFenceIn(text: string): OpenFence | undefined {
  let open: OpenFence | undefined;
  for (const line of text.split('\n')) open = fenceAfter(open, line);
  return open;
}
