"""Cross-encoders: a pretrained transformer, fine-tuned to predict from two texts whether one answers the other.

The lower layers stay as pretrained and encode each text alone. The upper layers read both texts together and are
fine-tuned. So the costly part is computed once per text, not once per pair, and one set of weights serves all folds.

Source:
    MacAvaney et al. 2020, Efficient Document Re-Ranking for Transformers by Precomputing Term Representations;
    Cao et al. 2020, DeFormer: Decomposing Pre-trained Transformers for Faster Question Answering.
"""
