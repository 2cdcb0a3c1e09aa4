/** All that the package @oriel/scale uses of this one for `s3://`. */

export { isOrielError, OrielError } from '../../errors.ts';
export { settingsAccess } from '../../files/user-settings.ts';
export { createNetwork, webUrl } from '../../network/fetch.ts';
export { age, binarySize } from '../../render/display.ts';
export { readAt } from '../../text/bytes.ts';
export { didYouMean, nearNames } from '../../text/near.ts';
export { decodeUri, oneLine, quote, withoutTrailingSlashes } from '../../text/visible.ts';
export { objectLimits, withinTime } from '../ranges/limits.ts';
export { divideRemotePath, openRemote } from '../ranges/open.ts';
export { textListing } from '../resources/names.ts';
export { Parser } from 'htmlparser2';
