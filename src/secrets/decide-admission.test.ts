import { describe, expect, it } from 'vitest';
import { type AdmissionFacts, decideAdmission } from './decide-admission.ts';

const key = (name: string, isLost = false) => ({ name, proof: '', isLost });
const nothing: AdmissionFacts = { recorded: [], sealed: new Map(), given: ['new'], lost: [], isAlone: false };
const admitted = { kind: 'admitted', record: [], forget: [], lose: [] };

describe('the master keys of a start', () => {
  it.each<{ what: string; facts: Partial<AdmissionFacts>; decided: object }>([
    { what: 'an empty database records the first key', facts: {}, decided: { ...admitted, record: ['new'] } },
    { what: 'the same key again changes nothing', facts: { recorded: [key('new')] }, decided: admitted },
    {
      what: 'another key is refused, also where nothing is sealed yet: another process may be about to seal',
      facts: { recorded: [key('old')] },
      decided: { kind: 'refused', missing: ['old'], secretCount: 0 },
    },
    {
      what: 'another key is refused with the number of secrets',
      facts: { recorded: [key('old')], sealed: new Map([['old', 3]]), isAlone: true },
      decided: { kind: 'refused', missing: ['old'], secretCount: 3 },
    },
    {
      what: 'a process that is alone replaces a key that seals nothing',
      facts: { recorded: [key('old')], isAlone: true },
      decided: { ...admitted, record: ['new'], forget: ['old'] },
    },
    {
      what: 'a rotation that has begun needs both keys',
      facts: { recorded: [key('old'), key('new')], given: ['old'] },
      decided: { kind: 'refused', missing: ['new'], secretCount: 0 },
    },
    {
      what: 'with both keys the new one is recorded',
      facts: { recorded: [key('old')], given: ['new', 'old'] },
      decided: { ...admitted, record: ['new'] },
    },
    {
      what: 'a previous key that seals nothing is not recorded again',
      facts: { recorded: [key('new')], given: ['new', 'old'] },
      decided: admitted,
    },
    {
      what: 'secrets without a record are told by what they name',
      facts: { sealed: new Map([['old', 2]]) },
      decided: { kind: 'refused', missing: ['old'], secretCount: 2 },
    },
    {
      what: 'secrets without a record are adopted with their key',
      facts: { sealed: new Map([['old', 2]]), given: ['new', 'old'] },
      decided: { ...admitted, record: ['new', 'old'] },
    },
    {
      what: 'a key that somebody says is lost is marked as lost',
      facts: { recorded: [key('old')], sealed: new Map([['old', 2]]), lost: ['old', 'other'] },
      decided: { ...admitted, record: ['new'], lose: ['old'] },
    },
    {
      what: 'a key that is given is not lost, whatever is said',
      facts: { recorded: [key('new')], lost: ['new'] },
      decided: admitted,
    },
    {
      what: 'a key that was lost is asked for no more',
      facts: { recorded: [key('old', true), key('new')], sealed: new Map([['old', 2]]) },
      decided: admitted,
    },
    {
      what: 'a key that was lost and is given again is recorded again',
      facts: { recorded: [key('old', true), key('new')], given: ['new', 'old'] },
      decided: { ...admitted, record: ['old'] },
    },
  ])('$what', ({ facts, decided }) => expect(decideAdmission({ ...nothing, ...facts })).toEqual(decided));
});
