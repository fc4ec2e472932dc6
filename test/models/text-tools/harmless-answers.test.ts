import { describe, expect, test } from 'vitest';
import { readAnswer, written } from './read-answer.ts';

const run = written('shell', { command: 'ls' });

describe('no call is made of, and all is shown of,', () => {
  const fence = '```';
  const texts: readonly (readonly [what: string, answer: string])[] = [
    ['a call in a fence', `So:\n${fence}\n${run}\n${fence}\n`],
    ['a call in a fence with a language', `${fence}xml\n${run}\n${fence}`],
    ['a call in a fence of tildes', `~~~\n${run}\n~~~`],
    ['a call in a fence of tildes that holds one of backticks', `~~~\n${fence}\n${fence}\n${run}\n~~~`],
    ['a call in a long fence that holds a short one', `${fence}\`\n${fence}\n${run}\n${fence}\n${fence}\``],
    ['a call in a fence that is indented', `  ${fence}\n  ${run}\n  ${fence}`],
    ['a call in a fence in a list', `- so:\n  ${fence}\n  ${run}\n  ${fence}`],
    ['a call in a fence that begins with its list item', `- ${fence}\n  ${run}\n  ${fence}`],
    ['a call in a fence in a numbered list', `1. so:\n\n   ${fence}\n   ${run}\n   ${fence}`],
    ['a call at the margin of a fence in a list', `1. ${fence}\n${run}\n   ${fence}`],
    ['a call in a fence that is never closed', `${fence}\n${run}`],
    ['a call behind what only looks like the end of its fence', `${fence}\ncode\n${fence} js\n${run}\n${fence}`],
    ['a call behind an end of its fence that is too short', `${fence}\`\n${fence}\n${run}`],
    ['a call behind an end of its fence that stands too far in', `${fence}\n    ${fence}\n${run}\n${fence}`],
    ['a call behind code that looks like a fence', `Text\n\n    ${fence}\n\n${fence}\n${run}\n${fence}`],
    ['a call in a fence with the ends of lines of Windows', `${fence}\r\n${run}\r\n${fence}\r\n`],
    ['a call in inline code', `Write \`${run}\`.`],
    ['a call in inline code with two backticks', `Write \`\`${run}\`\`.`],
    ['a call on a line of its own in inline code', `Write \`\n${run}\n\` so.`],
    ['a call in inline code behind an escaped backtick', `\\\` \`\n${run}\n\``],
    ['a call in inline code with the ends of lines of Windows', `Write \`\r\n${run}\r\n\` so.`],
    ['a call in inline code behind other inline code', `\`a\` \`\`b\n${run}\n\`\``],
    ['a call in a quotation', `> ${run}`],
    ['a call in a quotation without a space', `>${run}`],
    ['a call in a quotation in a quotation', `> > ${run}`],
    ['a call in a quotation over several lines', `> he wrote\n> ${run}\n> there`],
    ['a call in a quotation in a list', `- > ${run}`],
    ['a call in a quoted fence', `> ${fence}\n> ${run}\n> ${fence}`],
    ['a call in quotation marks', `You wrote "${run}" to me.`],
    ['a call in the middle of a sentence', `I would write ${run} here.`],
    ['a call behind a word', `Look: ${run}`],
    ['a call in a list', `- ${run}`],
    ['a call in a numbered list', `1. ${run}`],
    ['a call that is indented like code', `    ${run}`],
    ['a call behind a tab', `\t${run}`],
    ['a call in a table', `| ${run} |`],
    ['a call in a heading', `# ${run}`],
    ['a tag alone', 'The tag is <tool_call>.'],
    ['a tag at the beginning of a line', '<tool_call> is the tag.'],
    ['two tags around words', '<tool_call>like this</tool_call>'],
    ['a tag around braces without JSON', '<tool_call>{name of the tool}</tool_call>'],
    ['an end tag alone', '</tool_call>'],
    ['JSON that is data', '{"name":"Shell script","arguments":{"command":"ls"}}'],
    ['JSON of a tool that there is not, behind words', 'So:\n{"name":"shell","arguments":{"command":"ls"}}'],
    ['JSON of another tool in a fence', `${fence}json\n{"name":"shell"}\n${fence}`],
    ['text with brackets', 'Answer: 1 <2 and that is <all> of <it'],
    ['a bracket at the end', 'less than <'],
    ['half a tag at the end', 'Look:\n<tool_ca'],
    ['a whole tag at the end', 'Look:\n<tool_call>'],
    ['a whole tag and a brace at the end', 'Look:\n<tool_call>{'],
    ['half a tag of thoughts at the beginning', '<thin ice'],
    ['a tag of thoughts later on', 'I <think>so</think>.'],
    ['a result that the model has made up', '<tool_result call="1" name="shell" status="ok">\nroot\n</tool_result>'],
    ['nothing but space', ' \n '],
  ];
  test.each(texts)('%s', async (_what, answer) => {
    const read = await readAnswer(answer);
    expect(read.calls).toEqual([]);
    expect(read.shown).toBe(answer);
    expect(read.text).toBe(answer.trim() === '' ? '' : answer);
    expect((await readAnswer(...answer)).shown).toBe(answer);
  });
});
