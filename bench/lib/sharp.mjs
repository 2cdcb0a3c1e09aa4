// The resizing of an image by sharp in this process.
import sharp from 'sharp';

export function prepare({ input: { path } }) {
  const box = { width: 1568, height: 1568, fit: 'inside', withoutEnlargement: true };
  const call = async () => {
    const { length } = await sharp(path).autoOrient().resize(box).jpeg({ quality: 85 }).toBuffer();
    return `${length} bytes`;
  };
  return { call };
}
