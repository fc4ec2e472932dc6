import { describe, expect, test } from 'vitest';
import { ModelError, type ModelFault } from '../../src/model/language-model.ts';
import { withPictureFallback } from '../../src/model/picture-fallback.ts';
import { ScriptedModel, wordsOf } from '../support/scripted-model.ts';
import { png } from '../support/test-attachments.ts';
import { answerOf, failureOf, request } from './ask.ts';

const picture = { role: 'user', text: 'what is it?', images: [{ mediaType: 'image/png', bytes: png }] } as const;

function failing(fault: ModelFault) {
  return () => {
    throw new ModelError(fault, `it is ${fault}`);
  };
}

describe('a request with pictures', () => {
  test.each(['permanent', 'too-long'] as const)('that is refused (%s) is made again without them', async (fault) => {
    const model = new ScriptedModel();
    model.next(failing(fault), 'I cannot see it');
    const answer = await answerOf(withPictureFallback(model), request([picture, { role: 'user', text: 'well?' }]));
    expect(answer.parts).toMatchObject([{ text: 'I cannot see it' }]);
    expect(model.requests[1]?.messages.some((message) => 'images' in message)).toBe(false);
    expect(model.requests.map(wordsOf)).toEqual([
      'what is it?\nwell?',
      "what is it?\n[the pictures are not below after all: the provider refused them, so you can't see them]\nwell?",
    ]);
  });

  test.each(['transient', 'auth', 'unavailable'] as const)(
    'that fails for another reason (%s) is not',
    async (fault) => {
      const model = new ScriptedModel();
      model.next(failing(fault));
      const { error } = await failureOf(withPictureFallback(model), request([picture]));
      expect([error.fault, model.requests.length]).toEqual([fault, 1]);
    },
  );

  test('that is refused after its answer has begun is not', async () => {
    const model = new ScriptedModel();
    model.next({ early: 'It is', rest: failing('permanent') });
    const { shown } = await failureOf(withPictureFallback(model), request([picture]));
    expect([shown.length, model.requests.length]).toEqual([1, 1]);
  });
});

test('a request without pictures that is refused is not made again', async () => {
  const model = new ScriptedModel();
  model.next(failing('permanent'));
  await failureOf(withPictureFallback(model), request('hello'));
  expect(model.requests).toHaveLength(1);
});
